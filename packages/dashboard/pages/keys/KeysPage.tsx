import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { KeyTable } from "./KeyTable.tsx";
import { NewKeyDialog } from "./NewKeyDialog.tsx";

export default function KeysPage() {
  const keys = useLoad((signal) => apiClient.account.keys.list({ signal }), []);
  const [isMaking, setMaking] = useState(false);
  async function revoke(id: string) {
    await apiClient.account.keys.revoke(id);
    keys.reload();
  }
  return (
    <>
      <PageHead
        title="API keys"
        lead="Programs send a key in the x-api-key header. Create a separate key for each program."
      >
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      </PageHead>
      <Loaded loaded={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No keys yet">
              Create one for the first program that sends Tasks. It is shown only once.
            </EmptyState>
          ) : (
            <KeyTable keys={list} revoke={revoke} />
          )
        }
      </Loaded>
      {isMaking && (
        <NewKeyDialog
          make={(request) => apiClient.account.keys.create(request)}
          onClose={() => setMaking(false)}
          onMade={keys.reload}
        />
      )}
    </>
  );
}
