import type { ApiKey } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { ActionsHead, Table } from "../../parts/Table.tsx";
import { announce } from "../../parts/toast.ts";

const HEADS = ["Name", "Kind", "State", "Created", "Last used", <ActionsHead key="actions" />];

const nameKind = ({ kind, role }: ApiKey) =>
  kind === "legacy" ? "Jobs token" : role === "admin" ? "Administrator" : "API key";

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: (key: ApiKey) => void }) {
  return (
    <tr>
      <td>{apiKey.name}</td>
      <td>{nameKind(apiKey)}</td>
      <td>
        <Badge tone={apiKey.revokedAt ? "quiet" : "good"}>{apiKey.revokedAt ? "Revoked" : "Active"}</Badge>
      </td>
      <td>
        <Age at={apiKey.createdAt} />
      </td>
      <td>{apiKey.lastUsedAt ? <Age at={apiKey.lastUsedAt} /> : "Never"}</td>
      <td class="number">
        {!apiKey.revokedAt && (
          <Button kind="danger" isSmall onClick={() => onRevoke(apiKey)}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Active keys first. */
export function KeyTable({
  keys,
  revoke,
}: {
  keys: readonly ApiKey[];
  revoke: (id: string) => Promise<unknown>;
}) {
  const [leaving, setLeaving] = useState<ApiKey>();
  const shown = keys.toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));
  async function confirm({ id, name }: ApiKey) {
    await revoke(id);
    announce(`“${name}” is revoked. Requests with it get 401 from now on.`);
  }
  return (
    <>
      <Table label="API keys" heads={HEADS}>
        {shown.map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={setLeaving} />
        ))}
      </Table>
      {leaving && (
        <ConfirmDialog
          title={`Revoke “${leaving.name}”?`}
          action="Revoke the key"
          onConfirm={() => confirm(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          Programs that use it are refused at once. It can't be restored.
        </ConfirmDialog>
      )}
    </>
  );
}
