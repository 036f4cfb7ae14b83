import { type Client, NotFoundError } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { actFor } from "../../account/acting-for.ts";
import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { Missing } from "../../parts/Missing.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { Tabs } from "../../parts/Tabs.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import type { PageProps } from "../../shell/page-props.ts";
import { address, replaceQuery } from "../../shell/router.ts";
import { InviteDialog } from "../people/InviteDialog.tsx";
import { ClientCredits } from "./ClientCredits.tsx";
import { ClientGrants } from "./ClientGrants.tsx";
import { ClientKeys } from "./ClientKeys.tsx";
import { ClientTerms } from "./ClientTerms.tsx";

const TABS = [
  { id: "terms", title: "Terms" },
  { id: "models", title: "Models and rates" },
  { id: "credits", title: "Credits" },
  { id: "keys", title: "Keys" },
];

function Actions({ record, onChanged }: { record: Client; onChanged: () => void }) {
  const [isSuspending, setSuspending] = useState(false);
  const [isInviting, setInviting] = useState(false);
  async function suspend() {
    await apiClient.admin.clients.suspend(record.id);
    announce(`${record.name} is suspended.`);
    onChanged();
  }
  async function resume() {
    await apiClient.admin.clients.resume(record.id);
    announce(`${record.name} may make requests again.`);
    onChanged();
  }
  return (
    <>
      {record.id !== me.value?.client.id && (
        <Button onClick={() => actFor({ id: record.id, name: record.name })}>Act for this client</Button>
      )}
      <Button onClick={() => setInviting(true)}>Invite a person</Button>
      {record.suspendedAt ? (
        <Button onClick={resume}>Resume</Button>
      ) : (
        <Button kind="danger" onClick={() => setSuspending(true)}>
          Suspend
        </Button>
      )}
      {isInviting && <InviteDialog clientId={record.id} onClose={() => setInviting(false)} />}
      {isSuspending && (
        <ConfirmDialog
          title={`Suspend ${record.name}?`}
          action="Suspend the client"
          onConfirm={suspend}
          onClose={() => setSuspending(false)}
        >
          Its keys and people are refused at once. Accepted Tasks are finished and charged.
        </ConfirmDialog>
      )}
    </>
  );
}

function Panel({ shown, record, onChanged }: { shown: string; record: Client; onChanged: () => void }) {
  if (shown === "models") return <ClientGrants clientId={record.id} />;
  if (shown === "credits") return <ClientCredits record={record} onChanged={onChanged} />;
  if (shown === "keys") return <ClientKeys clientId={record.id} />;
  return <ClientTerms key={record.id} record={record} onChanged={onChanged} />;
}

export default function ClientPage({ params }: PageProps) {
  const { id = "" } = params;
  const record = useLoad((signal) => apiClient.admin.clients.get(id, { signal }), [id]);
  if (record.error instanceof NotFoundError)
    return (
      <Missing title="Client not found">
        The address may have a typing error. <a href="app/admin/clients">See all clients</a>.
      </Missing>
    );
  const shown = TABS.find((tab) => tab.id === address.value.query.get("tab"))?.id ?? "terms";
  return (
    <Loaded loaded={record}>
      {(value) => (
        <>
          <PageHead
            title={value.name}
            lead={
              <>
                <Badge tone={value.suspendedAt ? "bad" : "good"}>
                  {value.suspendedAt ? "Suspended" : "Active"}
                </Badge>{" "}
                <span class="mono">{value.id}</span>
              </>
            }
          >
            <Actions record={value} onChanged={record.reload} />
          </PageHead>
          <Tabs
            label="Of the client"
            tabs={TABS}
            shown={shown}
            onChange={(tab) => replaceQuery(new URLSearchParams({ tab }))}
          >
            <Panel shown={shown} record={value} onChanged={record.reload} />
          </Tabs>
        </>
      )}
    </Loaded>
  );
}
