import type { AssetRecord } from "../assets/asset-record.ts";
import { findOutputPlace } from "../assets/output-asset-id.ts";
import type { UrlRules } from "../ports.ts";
import { splitLogin } from "../url-login.ts";
import type { Vault } from "../vault.ts";
import type { NewTask } from "./task-record.ts";
import type { TaskSource } from "./task-source.ts";

type SourcePorts = { urls: UrlRules; vault: Vault };

/** An input or transcript as the client named it. */
type Named = { url: string | undefined; asset: AssetRecord | undefined };

async function findSource(
  ports: SourcePorts,
  taskId: string,
  { url, asset }: Named,
): Promise<Omit<TaskSource, "targetId"> | undefined> {
  // Uploads are found, and kept, by their ids.
  if (url === undefined) return asset && findOutputPlace(asset.id) ? { blobKey: asset.blobKey } : undefined;
  const blobKey = ports.urls.findStored(url);
  if (blobKey !== undefined) return { blobKey };
  const { login } = splitLogin(url);
  return login === undefined ? undefined : { sealedLogin: await ports.vault.seal(login, taskId) };
}

/** Removes the logins from a new Task's URLs, and stores them and the blobs it reads as its sources. */
export async function withSources(
  ports: SourcePorts,
  task: NewTask,
  {
    asset,
    transcripts,
  }: { asset: AssetRecord | undefined; transcripts: readonly (AssetRecord | undefined)[] },
): Promise<NewTask> {
  const sources: TaskSource[] = [];
  const input = await findSource(ports, task.id, { url: task.url, asset });
  if (input) sources.push(input);
  for (const [index, { id, transcriptUrl }] of task.targets.entries()) {
    const source = await findSource(ports, task.id, { url: transcriptUrl, asset: transcripts[index] });
    if (source) sources.push({ targetId: id, ...source });
  }
  return {
    ...task,
    ...(task.url === undefined ? {} : { url: splitLogin(task.url).url }),
    targets: task.targets.map((target) =>
      target.transcriptUrl === undefined
        ? target
        : { ...target, transcriptUrl: splitLogin(target.transcriptUrl).url },
    ),
    ...(sources.length === 0 ? {} : { sources }),
  };
}
