import type { StorageIntegration, StorageVerification } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { announce } from "../../parts/toast.ts";
import { STORAGE_KINDS } from "./storage-kinds.ts";
import { makeAccessPolicy, makeTrustPolicy, UNKNOWN_PRINCIPAL } from "./trust-policy.ts";

const TONES = { passed: "good", failed: "bad", skipped: "quiet" } as const;

function Verification({ verification }: { verification: StorageVerification }) {
  return (
    <ul class="plain-list stack-tight" aria-label="Verification">
      {verification.steps.map(({ step, status, message }) => (
        <li key={step} class="row row-wrap">
          <Badge tone={TONES[status]}>
            {step} {status}
          </Badge>
          {message && <span class="small">{message}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The service can't determine its own ARN: that of an instance role has a path that no AWS response contains. */
function UnknownPrincipal() {
  return (
    <p class="notice">
      <span>
        In place of <code>{UNKNOWN_PRINCIPAL}</code> put the IAM user or role that this service runs as.
        Whoever runs it finds it with <code>aws sts get-caller-identity</code>: an answer{" "}
        <code>arn:aws:sts::123456789012:assumed-role/NAME/…</code> is the role{" "}
        <code>arn:aws:iam::123456789012:role/NAME</code>. Set as <code>AWS_PRINCIPAL_ARN</code>, it stands
        here by itself.
      </span>
    </p>
  );
}

/** The two policies to set up at Amazon. */
function AwsGuide({ integration }: { integration: StorageIntegration }) {
  const { externalId = "", roleArn = "" } = integration.authConfig as {
    externalId?: string;
    roleArn?: string;
  };
  return (
    <details>
      <summary>How to set up the role</summary>
      <ol class="steps">
        <li>
          Give the role <code>{roleArn}</code> this trust policy.
          {integration.servicePrincipalArn === undefined && <UnknownPrincipal />}
          <CodeBlock
            label="trust policy"
            code={makeTrustPolicy(externalId, integration.servicePrincipalArn)}
          />
        </li>
        <li>
          Grant it access to the bucket.
          <CodeBlock label="access policy" code={makeAccessPolicy(integration.storageName)} />
        </li>
        <li>Press Verify: it lists, writes, reads and deletes a small object.</li>
      </ol>
    </details>
  );
}

function UsageExample({ place, storageIntegrationId }: { place: string; storageIntegrationId: string }) {
  return (
    <details>
      <summary>How to use it in a Task</summary>
      <CodeBlock
        label="Task"
        code={JSON.stringify(
          {
            url: `${place}/recordings/song.wav`,
            storageIntegrationId,
            writeDestination: `${place}/stems`,
            targets: [{ model: "vocals", formats: ["wav"] }],
          },
          null,
          2,
        )}
      />
    </details>
  );
}

export function StorageItem({
  integration,
  onChanged,
}: {
  integration: StorageIntegration;
  onChanged: () => void;
}) {
  const [verification, setVerification] = useState<StorageVerification>();
  const [isRemoving, setRemoving] = useState(false);
  const kind = STORAGE_KINDS.find(({ type }) => type === integration.type);
  const place = `${kind?.scheme ?? integration.type}://${integration.storageName}`;

  async function verify() {
    setVerification(undefined);
    setVerification(await apiClient.storageIntegrations.verify(integration.id));
  }
  async function remove() {
    await apiClient.storageIntegrations.delete(integration.id);
    announce(`${place} is removed.`);
    onChanged();
  }
  return (
    <li class="card stack">
      <div class="row row-apart row-wrap">
        <div class="stack-tight">
          <h2 class="mono">{place}</h2>
          <p class="small muted">
            {kind?.name ?? integration.type}, added <Age at={integration.createdAt} />
          </p>
        </div>
        <div class="row">
          <Button onClick={verify}>Verify</Button>
          <Button kind="danger" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </div>
      </div>
      {verification && <Verification verification={verification} />}
      {integration.type === "aws" && <AwsGuide integration={integration} />}
      <UsageExample place={place} storageIntegrationId={integration.id} />
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${place}?`}
          action="Remove the storage"
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          The service deletes its credentials for it. The files in the bucket stay.
        </ConfirmDialog>
      )}
    </li>
  );
}
