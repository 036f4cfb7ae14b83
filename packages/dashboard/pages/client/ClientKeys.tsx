import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { KeyTable } from "../keys/KeyTable.tsx";
import { NewKeyDialog } from "../keys/NewKeyDialog.tsx";

export function ClientKeys({ clientId }: { clientId: string }) {
  const keys = useLoad((signal) => apiClient.admin.keys.list(clientId, { signal }), [clientId]);
  const [isMaking, setMaking] = useState(false);
  async function revoke(id: string) {
    await apiClient.admin.keys.revoke(id);
    keys.reload();
  }
  return (
    <div class="stack">
      <div>
        <Button icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      </div>
      <Loaded loaded={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No keys yet">
              Make one for the client, or invite a person who makes their own.
            </EmptyState>
          ) : (
            <KeyTable keys={list} revoke={revoke} />
          )
        }
      </Loaded>
      {isMaking && (
        <NewKeyDialog
          make={(request) => apiClient.admin.keys.create(clientId, request)}
          onClose={() => setMaking(false)}
          onMade={keys.reload}
        />
      )}
    </div>
  );
}
