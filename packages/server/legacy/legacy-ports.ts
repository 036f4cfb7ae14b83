import { PassThrough, type Readable } from "node:stream";
import { ApiError } from "@stemwright/contract";
import type { Database } from "../db/database.ts";
import { findLegacyJob, listLegacyJobs, loadLegacyUsage } from "../db/legacy-jobs.ts";
import type { Links } from "../domain/links.ts";
import type { Blobs } from "../domain/ports.ts";
import { type AddressGuard, AddressRefused } from "../net/address-guard.ts";
import { findReason } from "../net/find-reason.ts";
import { openUrl } from "../net/open-url.ts";
import type { LegacyPorts } from "./legacy-routes.ts";

/** How long fetching a link may take in all. */
const LINK_TIMEOUT_MS = 10 * 60_000;

/** Passes on what a link gives, read or not: what ends it early is told as the link's fault, what ends the reader is not. */
function tellOfBreaks(content: Readable): Readable {
  const told = new PassThrough();
  content.on("error", ({ message }) =>
    told.destroy(new ApiError("LINK_FETCH_FAILED", `The link broke off: ${message}`)),
  );
  told.on("close", () => content.destroy());
  return content.pipe(told);
}

/** The Jobs interface's ports over database, store and network. */
export function makeLegacyPorts(house: {
  db: Database;
  blobs: Blobs;
  links: Links;
  guard: AddressGuard;
}): LegacyPorts {
  const { db, blobs, links, guard } = house;
  return {
    findJob: (clientId, id) => findLegacyJob(db, id, clientId),
    listJobs: (clientId, page) => listLegacyJobs(db, clientId, page),
    loadUsage: (clientId) => loadLegacyUsage(db, clientId),
    async openLink(link) {
      const blobKey = links.findBlobKey(link);
      if (blobKey !== undefined && (await blobs.findSize(blobKey)) !== undefined)
        return await blobs.read(blobKey);
      try {
        return tellOfBreaks(await openUrl(guard, new URL(link), AbortSignal.timeout(LINK_TIMEOUT_MS)));
      } catch (error) {
        const reason = findReason(error);
        if (reason instanceof AddressRefused) throw new ApiError("URL_NOT_ALLOWED", reason.message);
        throw new ApiError("LINK_FETCH_FAILED", `The link can't be fetched: ${reason.message}`);
      }
    },
  };
}
