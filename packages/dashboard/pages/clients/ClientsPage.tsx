import type { Client } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { FormActions } from "../../parts/FormActions.tsx";
import { formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { Pager } from "../../parts/Pager.tsx";
import { Table } from "../../parts/Table.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";
import { navigate } from "../../shell/router.ts";
import { MeteredField } from "../client/MeteredField.tsx";

const PAGE_SIZE = 25;
const HEADS = ["Name", "State", "Credits", "Weight", "Created"];

function NewClientDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [isMetered, setMetered] = useState(false);
  const form = useForm(async () => {
    const { id } = await apiClient.admin.clients.create({ name, metered: isMetered });
    onClose();
    navigate(`app/admin/clients/${id}`);
  });
  return (
    <Dialog title="New client" onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <TextField
          label="Name"
          placeholder="Acme"
          value={name}
          onInput={setName}
          error={form.errorOf("name")}
        />
        <MeteredField isMetered={isMetered} onChange={setMetered} />
        <FormActions form={form} action="Create the client" onClose={onClose} />
      </form>
    </Dialog>
  );
}

const ClientRow = ({ record }: { record: Client }) => (
  <tr>
    <td>
      <a href={`app/admin/clients/${record.id}`}>{record.name}</a>
    </td>
    <td>
      <Badge tone={record.suspendedAt ? "bad" : "good"}>{record.suspendedAt ? "Suspended" : "Active"}</Badge>
    </td>
    <td>
      {record.metered ? formatCredits(record.credits.available) : <span class="muted">not metered</span>}
    </td>
    <td>{record.weight}</td>
    <td>
      <Age at={record.createdAt} />
    </td>
  </tr>
);

export default function ClientsPage() {
  const [skip, setSkip] = useState(0);
  const [isMaking, setMaking] = useState(false);
  const clients = useLoad(
    (signal) => apiClient.admin.clients.list({ skip, take: PAGE_SIZE }, { signal }).page(),
    [skip],
  );
  return (
    <>
      <PageHead title="Clients" lead="The accounts of this installation, with their terms.">
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New client
        </Button>
      </PageHead>
      <Loaded loaded={clients}>
        {({ items, total }) => (
          <div class="stack">
            <Table label="Clients" heads={HEADS}>
              {items.map((record) => (
                <ClientRow key={record.id} record={record} />
              ))}
            </Table>
            <Pager skip={skip} take={PAGE_SIZE} total={total} onChange={setSkip} />
          </div>
        )}
      </Loaded>
      {isMaking && <NewClientDialog onClose={() => setMaking(false)} />}
    </>
  );
}
