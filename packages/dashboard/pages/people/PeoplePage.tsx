import type { Invitation, Person } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { Age } from "../../parts/Age.tsx";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { formatDateTime } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { ActionsHead, Table } from "../../parts/Table.tsx";
import { announce, reportError } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import { InviteDialog } from "./InviteDialog.tsx";

const PEOPLE_HEADS = ["Name", "Email", "Role", "Last seen", <ActionsHead key="actions" />];
const INVITATION_HEADS = ["For", "Role", "Expires", <ActionsHead key="actions" />];

/** Owners can change roles; everybody sees them. */
function Role({ person, onChange }: { person: Person; onChange: (role: Person["role"]) => void }) {
  if (me.value?.person.role !== "owner") return <>{person.role}</>;
  return (
    <select
      class="input"
      aria-label={`Role of ${person.name}`}
      value={person.role}
      onChange={(event) => {
        const role = event.currentTarget.value as Person["role"];
        event.currentTarget.value = person.role;
        onChange(role);
      }}
    >
      <option value="owner">owner</option>
      <option value="member">member</option>
    </select>
  );
}

function PersonRow({
  person,
  ...actions
}: {
  person: Person;
  onRole: (role: Person["role"]) => void;
  onRemove: () => void;
}) {
  const isMe = person.id === me.value?.person.id;
  return (
    <tr>
      <td>
        {person.name} {isMe && <span class="tag">you</span>}
      </td>
      <td>{person.email ?? <span class="muted">not set yet</span>}</td>
      <td>
        <Role person={person} onChange={actions.onRole} />
      </td>
      <td>{person.lastSeenAt ? <Age at={person.lastSeenAt} /> : "Never"}</td>
      <td class="number">
        {me.value?.person.role === "owner" && !isMe && (
          <Button kind="danger" isSmall onClick={actions.onRemove}>
            Remove
          </Button>
        )}
      </td>
    </tr>
  );
}

function Invitations({
  list,
  onWithdraw,
}: {
  list: readonly Invitation[];
  onWithdraw: (id: string) => Promise<void>;
}) {
  if (list.length === 0) return null;
  return (
    <>
      <h2>Open invitations</h2>
      <Table label="Open invitations" heads={INVITATION_HEADS}>
        {list.map(({ id, email, role, expiresAt }) => (
          <tr key={id}>
            <td>{email ?? "whoever has the link"}</td>
            <td>{role}</td>
            <td>{formatDateTime(expiresAt)}</td>
            <td class="number">
              {me.value?.person.role === "owner" && (
                <Button isSmall onClick={() => onWithdraw(id)}>
                  Withdraw
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function People() {
  const people = useLoad((signal) => apiClient.account.people.list({ signal }), []);
  const [leaving, setLeaving] = useState<Person>();

  async function changeRole({ id, name }: Person, role: Person["role"]) {
    await apiClient.account.people.update(id, { role });
    announce(`${name} is ${role} now.`);
    people.reload();
  }
  async function remove({ id, name }: Person) {
    await apiClient.account.people.remove(id);
    announce(`${name} is removed, and signed out everywhere.`);
    people.reload();
  }

  return (
    <>
      <Loaded loaded={people}>
        {(list) => (
          <Table label="People" heads={PEOPLE_HEADS}>
            {list.map((person) => (
              <PersonRow
                key={person.id}
                person={person}
                onRole={(role) => void changeRole(person, role).catch(reportError)}
                onRemove={() => setLeaving(person)}
              />
            ))}
          </Table>
        )}
      </Loaded>
      {leaving && (
        <ConfirmDialog
          title={`Remove ${leaving.name}?`}
          action="Remove"
          onConfirm={() => remove(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          {leaving.name} is signed out everywhere and can't come back without a new invitation. API keys stay:
          they belong to the account.
        </ConfirmDialog>
      )}
    </>
  );
}

export default function PeoplePage() {
  const invitations = useLoad((signal) => apiClient.account.invitations.list({ signal }), []);
  const [isInviting, setInviting] = useState(false);

  async function withdraw(id: string) {
    await apiClient.account.invitations.delete(id);
    announce("The invitation is withdrawn.");
    invitations.reload();
  }

  return (
    <>
      <PageHead
        title="People"
        lead="Who signs in to this account. Owners invite others; members do everything else."
      >
        {me.value?.person.role === "owner" && (
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )}
      </PageHead>
      <div class="stack">
        <People />
        <Loaded loaded={invitations}>{(list) => <Invitations list={list} onWithdraw={withdraw} />}</Loaded>
      </div>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} onMade={invitations.reload} />}
    </>
  );
}
