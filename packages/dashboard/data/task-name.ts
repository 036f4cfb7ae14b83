import type { TaskListItem } from "@stemwright/sdk";
import { assetNames } from "./asset-names.ts";

function nameOfUrl(url: string): string {
  const path = url.split(/[?#]/)[0] ?? url;
  const last = path.split("/").filter(Boolean).at(-1) ?? url;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A Task's display name: that of its file. */
export function nameTask({ assetId, url }: Pick<TaskListItem, "assetId" | "url">): string {
  if (url !== undefined) return nameOfUrl(url);
  const name = assetNames.value.get(assetId ?? "");
  return name ?? (name === null ? "Deleted file" : "File");
}
