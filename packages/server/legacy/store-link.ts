import { basename } from "node:path";
import type { Readable } from "node:stream";
import type { LegacyLinkRequest } from "@stemwright/contract";
import type { AssetRecord } from "../domain/assets/asset-record.ts";
import { storeUpload } from "../domain/assets/store-upload.ts";
import type { Caller } from "../domain/caller.ts";
import { checkWebUrl } from "../domain/check-web-url.ts";
import type { Blobs, UrlRules } from "../domain/ports.ts";

export interface LinkOpener {
  /** The content behind a link. Opening it may fail with LINK_FETCH_FAILED or URL_NOT_ALLOWED, reading it with the former. */
  openLink(link: string): Promise<Readable>;
}

type StoreLinkPorts = { blobs: Blobs; urls: UrlRules; links: LinkOpener };

/** The last part of the link's path, as people name files. */
function findFileName(link: string): string {
  const name = basename(new URL(link).pathname);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Fetches what a link leads to into the store, as if it had been uploaded. */
export async function storeLink(
  ports: StoreLinkPorts,
  caller: Caller,
  { request, maxBytes }: { request: LegacyLinkRequest; maxBytes: number },
): Promise<AssetRecord> {
  checkWebUrl(ports.urls, request.link, "link");
  const content = await ports.links.openLink(request.link);
  // Whoever reads it hears of its errors; given up unread, it must not end the process with one.
  content.on("error", () => {});
  try {
    const filename = request.name ?? findFileName(request.link);
    return await storeUpload(ports.blobs, caller, { filename, content, maxBytes });
  } finally {
    content.destroy();
  }
}
