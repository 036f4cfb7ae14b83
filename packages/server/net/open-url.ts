import { pipeline, type Readable } from "node:stream";
import { request } from "undici";
import { limitSlowness } from "../streams/limit-slowness.ts";
import type { AddressGuard } from "./address-guard.ts";
import { findCertificateFault } from "./certificate-fault.ts";
import { findRetryAfterMs, isTransientFailure, isTransientStatus } from "./transient.ts";

const REDIRECTS_MAX = 5;
/** A server that drips would hold a worker for as long as it likes. */
const SLOWEST = { leastBytes: 64 * 1024, withinMs: 60_000 };

type UrlErrorKind = "not-found" | "access-denied" | "failed" | "not-set-up";

/** Why a URL's content is unavailable; the message continues a sentence about it. */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly kind: UrlErrorKind;
  /** It may be over in a moment. */
  readonly isTransient: boolean;
  /** How long the server asks us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: UrlErrorKind,
    message: string,
    {
      isTransient = false,
      retryAfterMs,
      cause,
    }: { isTransient?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
  }
}

export type UrlToOpen = {
  url: URL;
  /** `user:password`, for the URL's own origin alone. */
  login?: string | undefined;
  signal: AbortSignal;
  /** Where to resume after what was already read of the same version. */
  startByte?: number;
  version?: string | undefined;
};

export type UrlContent = {
  content: Readable;
  /** The byte it begins with: 0 where the server has no part to give, or has another version by now. */
  startByte: number;
  /** Of the whole, as it is sent. */
  sizeBytes: number | undefined;
  /** Names the content, so that a read that goes on later can't mix two of them. */
  version: string | undefined;
  contentEncoding: string | undefined;
  contentType: string | undefined;
};

type Answer = Awaited<ReturnType<typeof request>>;

/** The content behind a URL. Follows redirects by hand, so that each hop is held against the guard's rules. */
export async function openUrl(guard: AddressGuard, wanted: UrlToOpen): Promise<UrlContent> {
  let hop = wanted.url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    guard.checkUrl(hop);
    const answer = await send(guard, hop, wanted);
    const { statusCode, body } = answer;
    const isPart = statusCode === 206 && isWantedPart(answer, wanted);
    if (statusCode === 200 || isPart) return toContent(answer, isPart ? (wanted.startByte ?? 0) : 0);
    // Nothing in it is wanted, and it may never end.
    body.on("error", () => {}).destroy();
    // There is no such part, or it is one of another version: the whole is asked for instead.
    const { startByte, version, ...whole } = wanted;
    if ((statusCode === 206 || statusCode === 416) && isResumed(wanted)) return await openUrl(guard, whole);
    const location = findHeader(answer, "location");
    if (statusCode < 300 || statusCode >= 400 || !location) throw toUrlError(answer);
    hop = new URL(location, hop);
  }
  throw new UrlError("failed", `its address redirects more than ${REDIRECTS_MAX} times`);
}

const isResumed = ({ startByte = 0, version }: UrlToOpen) => startByte > 0 && version !== undefined;

async function send(guard: AddressGuard, hop: URL, wanted: UrlToOpen): Promise<Answer> {
  const { url, login, signal, startByte, version } = wanted;
  try {
    return await request(hop, {
      dispatcher: guard.dispatcher,
      signal,
      headers: {
        "user-agent": "stemwright",
        ...(login !== undefined && hop.origin === url.origin
          ? { authorization: `Basic ${Buffer.from(login).toString("base64")}` }
          : {}),
        ...(isResumed(wanted) ? { range: `bytes=${startByte}-`, "if-range": version } : {}),
      },
    });
  } catch (error) {
    throw toConnectionError(error);
  }
}

/** A failed connection as a UrlError where there is more to say of it than its own words. */
function toConnectionError(error: unknown): unknown {
  const fault = findCertificateFault(error);
  return fault === undefined ? error : new UrlError("not-set-up", fault, { cause: error });
}

const findHeader = ({ headers }: Answer, name: string) => [headers[name]].flat()[0];

function isWantedPart(answer: Answer, wanted: UrlToOpen): boolean {
  const isFromThere = findHeader(answer, "content-range")?.startsWith(`bytes ${wanted.startByte}-`) ?? false;
  return isResumed(wanted) && isFromThere && (findVersion(answer) ?? wanted.version) === wanted.version;
}

/** A weak tag stands for what looks alike, which the bytes need not do. */
function findVersion(answer: Answer): string | undefined {
  const etag = findHeader(answer, "etag");
  return etag?.startsWith('"') ? etag : findHeader(answer, "last-modified");
}

function toContent(answer: Answer, startByte: number): UrlContent {
  const tooSlow = () => new UrlError("failed", "its server sends too slowly", { isTransient: true });
  const { statusCode, body } = answer;
  const size =
    statusCode === 206
      ? /\/(\d+)$/.exec(findHeader(answer, "content-range") ?? "")?.[1]
      : findHeader(answer, "content-length");
  return {
    // The callback is for nobody: what fails here fails for whoever reads.
    content: pipeline(body, limitSlowness(SLOWEST, tooSlow), () => {}),
    startByte,
    sizeBytes: size === undefined ? undefined : Number(size),
    version: findVersion(answer),
    contentEncoding: findHeader(answer, "content-encoding"),
    contentType: findHeader(answer, "content-type"),
  };
}

function toUrlError(answer: Answer): UrlError {
  const { statusCode } = answer;
  const message = `its server answered ${statusCode}`;
  if (statusCode === 404 || statusCode === 410) return new UrlError("not-found", message);
  if (statusCode === 401 || statusCode === 403) return new UrlError("access-denied", message);
  const retryAfterMs = findRetryAfterMs(findHeader(answer, "retry-after"));
  return new UrlError("failed", message, { isTransient: isTransientStatus(statusCode), retryAfterMs });
}

/** Whether a URL that could not be opened or read to its end may be tried again, and what its server says of when. */
export function findUrlRetry(error: unknown): { afterMs: number } | undefined {
  if (error instanceof UrlError) return error.isTransient ? { afterMs: error.retryAfterMs ?? 0 } : undefined;
  return isTransientFailure(error) ? { afterMs: 0 } : undefined;
}
