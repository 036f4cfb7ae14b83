import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { getClientId } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { NewStorageDialog } from "./NewStorageDialog.tsx";
import { StorageItem } from "./StorageItem.tsx";

export default function StoragePage() {
  const clientId = getClientId();
  const integrations = useLoad(
    (signal) => apiClient.storageIntegrations.list({}, { signal, clientId }).toArray(),
    [clientId],
  );
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title="Storage" lead="Buckets of your own, to read inputs from and to write outputs to.">
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          Add storage
        </Button>
      </PageHead>
      <Loaded loaded={integrations}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No storage yet">
              Uploads and outputs are stored by the service. Add a bucket of your own, and Tasks can read from{" "}
              <code>s3://…</code>, <code>gs://…</code> or <code>az://…</code> and write there.
            </EmptyState>
          ) : (
            <ul class="plain-list stack">
              {list.map((integration) => (
                <StorageItem key={integration.id} integration={integration} onChanged={integrations.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <NewStorageDialog onClose={() => setAdding(false)} onMade={integrations.reload} />}
    </>
  );
}
