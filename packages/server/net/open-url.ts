import { pipeline, type Readable } from "node:stream";
import { request } from "undici";
import { limitSlowness } from "../limit-slowness.ts";
import type { AddressGuard } from "./address-guard.ts";

const REDIRECTS_MAX = 5;
/** A server that drips would hold a worker for as long as it likes. */
const SLOWEST = { leastBytes: 64 * 1024, withinMs: 60_000 };

type UrlErrorKind = "not-found" | "access-denied" | "failed";

/** Why a URL's content can't be had; the message goes on a sentence about it. */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly kind: UrlErrorKind;

  constructor(kind: UrlErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The content behind a URL. Follows redirects by hand, so that each hop is held against the guard's rules. */
export async function openUrl(guard: AddressGuard, url: URL, signal: AbortSignal): Promise<Readable> {
  let hop = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    guard.checkUrl(hop);
    const { statusCode, headers, body } = await request(hop, {
      dispatcher: guard.dispatcher,
      signal,
      headers: { "user-agent": "stemwright" },
    });
    if (statusCode === 200) {
      const tooSlow = () => new UrlError("failed", "its server sends too slowly");
      // The callback is for nobody: what fails here fails for whoever reads.
      return pipeline(body, limitSlowness(SLOWEST, tooSlow), () => {});
    }
    // Nothing in it is wanted, and it may never end.
    body.on("error", () => {}).destroy();
    const location = [headers.location].flat()[0];
    if (statusCode < 300 || statusCode >= 400 || !location) throw toUrlError(statusCode);
    hop = new URL(location, hop);
  }
  throw new UrlError("failed", `its address redirects more than ${REDIRECTS_MAX} times`);
}

function toUrlError(statusCode: number): UrlError {
  const message = `its server answered ${statusCode}`;
  if (statusCode === 404 || statusCode === 410) return new UrlError("not-found", message);
  if (statusCode === 401 || statusCode === 403) return new UrlError("access-denied", message);
  return new UrlError("failed", message);
}
