import type { PersonSession } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { ActionsHead, Table } from "../../parts/Table.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import { describeAgent } from "./describe-agent.ts";

const HEADS = ["Browser", "Address", "Signed in", "Last used", <ActionsHead key="actions" />];
const METHODS = { password: "password", link: "link", invitation: "invitation", oidc: "provider" };

function SessionRow({ session, onEnd }: { session: PersonSession; onEnd: () => Promise<void> }) {
  return (
    <tr>
      <td title={session.agent}>{describeAgent(session.agent)}</td>
      <td class="mono">{session.address}</td>
      <td>
        <Age at={session.createdAt} /> <span class="muted">by {METHODS[session.method]}</span>
      </td>
      <td>
        <Age at={session.lastUsedAt} />
      </td>
      <td class="number">
        {session.isCurrent ? (
          <Badge tone="good">This one</Badge>
        ) : (
          <Button kind="danger" isSmall onClick={onEnd}>
            End
          </Button>
        )}
      </td>
    </tr>
  );
}

export default function SessionsPage() {
  const sessions = useLoad((signal) => apiClient.account.sessions.list({ signal }), []);
  const others = sessions.value?.filter(({ isCurrent }) => !isCurrent) ?? [];

  async function end(ended: readonly PersonSession[]) {
    await Promise.all(ended.map(({ id }) => apiClient.account.sessions.revoke(id)));
    announce(ended.length === 1 ? "That session is ended." : `${ended.length} sessions are ended.`);
    sessions.reload();
  }

  return (
    <>
      <PageHead title="Sessions" lead="Where you are signed in. A session ends 14 days after its last use.">
        {others.length > 1 && <Button onClick={() => end(others)}>End all others</Button>}
      </PageHead>
      <Loaded loaded={sessions}>
        {(list) => (
          <Table label="Sessions" heads={HEADS}>
            {list.map((session) => (
              <SessionRow key={session.id} session={session} onEnd={() => end([session])} />
            ))}
          </Table>
        )}
      </Loaded>
    </>
  );
}
