import { basename } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import type { LegacyLinkRequest } from "@stemwright/contract";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { storeUpload, toCleanName } from "../../domain/assets/store-upload.ts";
import { checkWebUrl } from "../../domain/check-web-url.ts";
import type { Blobs, UrlRules } from "../../domain/ports.ts";
import type { StorageQuota } from "../../domain/storage/storage-quota.ts";

export type OpenedLink = { content: Readable; contentType?: string | undefined };

export interface LinkOpener {
  /** The content behind a link. Opening it may fail with LINK_FETCH_FAILED or URL_NOT_ALLOWED, reading it with the former. */
  openLink(link: string, options: { maxBytes: number; signal: AbortSignal }): Promise<OpenedLink>;
}

type StoreLinkPorts = { blobs: Blobs; quota: StorageQuota; urls: UrlRules; links: LinkOpener };

/** The last part of the link's path: the file's name. */
function findFileName(link: string): string {
  const name = basename(new URL(link).pathname);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

type LinkToStore = { request: LegacyLinkRequest; maxBytes: number; signal: AbortSignal };

/** Fetches a link into the store as if it had been uploaded. The signal aborts with the reason. */
export async function storeLink(
  ports: StoreLinkPorts,
  caller: Caller,
  { request, maxBytes, signal }: LinkToStore,
): Promise<AssetRecord> {
  checkWebUrl(ports.urls, request.link, "link");
  try {
    return await fetchLink(ports, caller, { request, maxBytes, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

async function fetchLink(
  ports: StoreLinkPorts,
  caller: Caller,
  { request, maxBytes, signal }: LinkToStore,
): Promise<AssetRecord> {
  const { content, contentType } = await ports.links.openLink(request.link, { maxBytes, signal });
  // Its reader handles errors; if it is abandoned unread, an error must not crash the process.
  content.on("error", () => {});
  addAbortSignal(signal, content);
  try {
    const linkName = findFileName(request.link);
    // Only a label, returned as given.
    const name = request.name?.toWellFormed() || toCleanName(linkName);
    const names = [linkName, ...(request.name === undefined ? [] : [request.name])];
    return await storeUpload(ports, caller, { name, names, contentType, content, maxBytes });
  } finally {
    content.destroy();
  }
}
