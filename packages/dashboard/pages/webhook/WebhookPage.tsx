import type { Webhook } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { announce } from "../../parts/toast.ts";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";
import { DeliveryLog } from "./DeliveryLog.tsx";

function UrlForm({ webhook, onChanged }: { webhook: Webhook | undefined; onChanged: () => void }) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const form = useForm(async () => {
    await apiClient.webhooks.set(url);
    announce(webhook ? "The URL is changed." : "The URL is set. Send a test event to try it.");
    onChanged();
  });
  return (
    <form class="card stack" onSubmit={form.submit}>
      <div class="row row-apart">
        <h2>URL</h2>
        {webhook && (
          <Badge tone={webhook.enabled ? "good" : "bad"}>{webhook.enabled ? "Enabled" : "Disabled"}</Badge>
        )}
      </div>
      <p class="muted">
        When a target completes or fails, we POST the Task to this URL, signed, and retry for three days.
        {webhook &&
          !webhook.enabled &&
          " The receiver answered 410, so nothing is sent; set the URL again to resume."}
      </p>
      <TextField
        label="Webhook URL"
        type="url"
        placeholder="https://example.com/hooks/stemwright"
        value={url}
        onInput={setUrl}
        error={form.errorOf("url")}
      />
      <FormError form={form} />
      <div>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          {webhook ? "Change the URL" : "Set the URL"}
        </Button>
      </div>
    </form>
  );
}

function SecretCard({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) {
  const [isShown, setShown] = useState(false);
  const [isRotating, setRotating] = useState(false);
  async function rotate() {
    await apiClient.webhooks.rotateSecret(webhook.id);
    setShown(true);
    announce("There is a new secret. For 24 hours, calls are signed with both.");
    onChanged();
  }
  return (
    <section class="card stack" aria-label="Secret">
      <h2>Secret</h2>
      <p class="muted">Your receiver checks the signature of each call with it (Standard Webhooks).</p>
      {isShown ? (
        <CodeBlock label="webhook secret" code={webhook.secret} />
      ) : (
        <p class="mono muted">whsec_••••••••••••••••••••</p>
      )}
      <div class="row row-wrap">
        <Button onClick={() => setShown(!isShown)}>{isShown ? "Hide it" : "Show it"}</Button>
        <Button onClick={() => setRotating(true)}>Make a new one</Button>
      </div>
      {isRotating && (
        <ConfirmDialog
          title="Rotate the secret?"
          action="Make a new secret"
          onConfirm={rotate}
          onClose={() => setRotating(false)}
        >
          Calls carry signatures of both secrets for 24 hours. Give your receiver the new one before these are
          over.
        </ConfirmDialog>
      )}
    </section>
  );
}

function WebhookActions({
  webhook,
  onChanged,
  onSent,
}: {
  webhook: Webhook;
  onChanged: () => void;
  onSent: () => void;
}) {
  const [isRemoving, setRemoving] = useState(false);
  async function test() {
    await apiClient.webhooks.test(webhook.id);
    announce("A test event is on its way; its outcome is in the log below.");
    onSent();
  }
  async function remove() {
    await apiClient.webhooks.delete(webhook.id);
    announce("The webhook URL is removed.");
    onChanged();
  }
  return (
    <>
      <Button onClick={test}>Send a test event</Button>
      <Button kind="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {isRemoving && (
        <ConfirmDialog
          title="Remove the webhook URL?"
          action="Remove the URL"
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          Pending deliveries to it are dropped. Tasks with their own webhookUrl still get deliveries.
        </ConfirmDialog>
      )}
    </>
  );
}

export default function WebhookPage() {
  const webhooks = useLoad((signal) => apiClient.webhooks.list({ signal }), []);
  const [sent, setSent] = useState(0);
  const webhook = webhooks.value?.[0];
  return (
    <>
      <PageHead title="Webhook URL" lead="Get a signed POST for each finished target instead of polling.">
        {webhook && (
          <WebhookActions webhook={webhook} onChanged={webhooks.reload} onSent={() => setSent(sent + 1)} />
        )}
      </PageHead>
      <div class="stack">
        <Loaded loaded={webhooks}>
          {() => (
            <div class="columns">
              <UrlForm key={webhook?.id ?? "none"} webhook={webhook} onChanged={webhooks.reload} />
              {webhook && <SecretCard webhook={webhook} onChanged={webhooks.reload} />}
            </div>
          )}
        </Loaded>
        <DeliveryLog isExpected={webhook !== undefined} sent={sent} />
      </div>
    </>
  );
}
