import { findInputAsset } from "../assets/find-input-asset.ts";
import type { AssetStore } from "../ports.ts";
import type { TaskRecord } from "./task-record.ts";

/** Long names would make paths that some systems refuse. */
const MAX_CHARACTERS = 120;

const withoutExtension = (name: string) => name.replace(/\.[^.]+$/, "").slice(0, MAX_CHARACTERS);

/** The last part of a URL's path. */
function nameOfUrl(url: string): string | undefined {
  const last = url
    .split(/[?#]/)[0]
    ?.split("/")
    .slice(3)
    .findLast((part) => part !== "");
  try {
    return last && decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** What people call a Task's input: its file's name without the extension; undefined if there is none. */
export async function findRecordingName(
  ports: { assets: Pick<AssetStore, "findAsset"> },
  task: Pick<TaskRecord, "clientId" | "assetId" | "url">,
): Promise<string | undefined> {
  const name = (await findInputAsset(ports, task))?.name ?? (task.url && nameOfUrl(task.url));
  return (name && withoutExtension(name).replace(/[/\\\p{Cc}]/gu, "_")) || undefined;
}

/** The name of a download: `Später Walzer - vocals.wav`. */
export const toDownloadName = (recording: string | undefined, fileName: string) =>
  recording === undefined ? fileName : `${recording} - ${fileName}`;
