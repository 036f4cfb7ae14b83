import { PassThrough, pipeline, type Readable, type Transform } from "node:stream";
import { ApiError } from "@stemwright/contract";
import type { Database } from "../../db/database.ts";
import { findLegacyJob, listLegacyJobs, loadLegacyUsage } from "../../db/tasks/legacy-job-rows.ts";
import type { Links } from "../../domain/links.ts";
import type { Blobs } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import { splitLogin } from "../../domain/url-login.ts";
import { type AddressGuard, AddressRefused } from "../../net/address-guard.ts";
import { EncodingError, makeDecoders } from "../../net/content-encoding.ts";
import { findReason } from "../../net/find-reason.ts";
import { findUrlRetry, openUrl, type UrlContent, UrlError } from "../../net/open-url.ts";
import { limitBytes } from "../../streams/limit-bytes.ts";
import { waitForRetry } from "../../waiting/retry.ts";
import type { LegacyPorts } from "./legacy-routes.ts";

/** Total time limit for fetching a link. */
const LINK_TIMEOUT_MS = 10 * 60_000;
/** A client is waiting, so a server that fails temporarily gets only a few retries. */
const OPEN_DELAYS_MS = [500, 2000];
const MAX_WAIT_MS = 5000;

function decodeLink({ content, contentEncoding }: UrlContent, maxBytes: number): Readable {
  const makeTooLarge = () =>
    new Refusal("UPLOAD_TOO_LARGE", `The file is over the limit of ${maxBytes} bytes`);
  try {
    return tellOfBreaks(
      content,
      makeDecoders(contentEncoding, () => limitBytes(maxBytes, makeTooLarge)),
    );
  } catch (error) {
    // Unread content would keep its connection open.
    content.on("error", () => {}).destroy();
    throw error;
  }
}

/** Passes on a link's decoded content: an early end is reported as the link's fault, an error of the reader is not. */
function tellOfBreaks(content: Readable, decoders: readonly Transform[]): Readable {
  const told = new PassThrough();
  const decoded = decoders.length === 0 ? content : pipeline([content, ...decoders], () => {});
  (decoded as Readable).on("error", (error: Error) =>
    told.destroy(
      error instanceof Refusal
        ? error
        : new ApiError("LINK_FETCH_FAILED", `The link broke off: ${error.message}`),
    ),
  );
  told.on("close", () => content.destroy());
  return (decoded as Readable).pipe(told);
}

async function openPatiently(guard: AddressGuard, link: string, signal: AbortSignal): Promise<UrlContent> {
  const { url, login } = splitLogin(link);
  for (let tries = 0; ; tries += 1) {
    try {
      return await openUrl(guard, { url: new URL(url), login, signal });
    } catch (error) {
      signal.throwIfAborted();
      const again = { retry: findUrlRetry(error), delayMs: OPEN_DELAYS_MS[tries], longestMs: MAX_WAIT_MS };
      if (!(await waitForRetry({ ...again, signal }))) throw error;
    }
  }
}

function toLinkError(error: unknown): ApiError {
  const reason = findReason(error);
  if (reason instanceof AddressRefused)
    return new ApiError("URL_NOT_ALLOWED", reason.message, [{ path: "link", message: reason.message }]);
  if (reason instanceof EncodingError)
    return new ApiError("LINK_FETCH_FAILED", `The link can't be fetched: what it leads to ${reason.message}`);
  const { message } = error instanceof UrlError ? error : reason;
  const code = error instanceof UrlError && error.kind === "not-set-up" ? "NOT_SET_UP" : "LINK_FETCH_FAILED";
  return new ApiError(code, `The link can't be fetched: ${message}`);
}

/** The Jobs interface's ports over database, store and network. */
export function makeLegacyPorts(context: {
  db: Database;
  blobs: Blobs;
  links: Links;
  guard: AddressGuard;
}): LegacyPorts {
  const { db, blobs, links, guard } = context;
  return {
    findJob: (clientId, id) => findLegacyJob(db, id, clientId),
    listJobs: (clientId, page) => listLegacyJobs(db, clientId, page),
    loadUsage: (clientId) => loadLegacyUsage(db, clientId),
    async openLink(link, { maxBytes, signal }) {
      const blobKey = links.findBlobKey(link);
      if (blobKey !== undefined && (await blobs.findSize(blobKey)) !== undefined)
        return { content: await blobs.read(blobKey) };
      try {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(LINK_TIMEOUT_MS)]);
        const opened = await openPatiently(guard, link, limited);
        return { content: decodeLink(opened, maxBytes), contentType: opened.contentType };
      } catch (error) {
        throw toLinkError(error);
      }
    },
  };
}
