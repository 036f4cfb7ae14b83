import type { Upload } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { formatBytes } from "../../parts/format.ts";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";

/** Uploads that broke off or are still running, which hold their whole size of the quota. */
export function UnfinishedUploads() {
  const page = useLoad((signal) => apiClient.uploads.list({ take: 100 }, { signal }).page(), []);
  const uploads = page.value?.items ?? [];
  if (uploads.length === 0) return null;

  async function remove({ id, name }: Upload) {
    await apiClient.uploads.delete(id);
    announce(`The upload of ${name} is deleted.`);
    page.reload();
  }

  return (
    <section class="card stack" aria-labelledby="unfinished-title">
      <h2 id="unfinished-title">Unfinished uploads</h2>
      <p class="muted">To resume one, choose the same file in the playground.</p>
      <ul class="plain-list stack">
        {uploads.map((upload) => (
          <li key={upload.id}>
            <div class="row row-apart">
              <span class="asset-name">
                {upload.name}{" "}
                <span class="small muted">
                  {formatBytes(upload.offset)} of {formatBytes(upload.size)}
                </span>
              </span>
              <Button
                kind="danger"
                isSmall
                icon="trash"
                label={`Delete the upload of ${upload.name}`}
                onClick={() => remove(upload)}
              />
            </div>
            <ProgressBar value={upload.offset / upload.size} label={`Upload of ${upload.name}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}
