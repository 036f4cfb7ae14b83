import { pipeline, type Readable } from "node:stream";
import { request } from "undici";
import { limitSlowness, SLOWEST } from "../streams/limit-slowness.ts";
import type { AddressGuard } from "./address-guard.ts";
import { findCertificateFault } from "./certificate-fault.ts";
import { findRetryAfterMs, isTransientFailure, isTransientStatus } from "./transient.ts";

const MAX_REDIRECTS = 5;

type UrlErrorKind = "not-found" | "access-denied" | "failed" | "not-set-up";

/** Why a URL's content is unavailable; the message continues a sentence about it. */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly kind: UrlErrorKind;
  /** A retry may succeed. */
  readonly isTransient: boolean;
  /** The server's Retry-After. */
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
  /** `user:password`, only for the URL's own origin. */
  login?: string | undefined;
  signal: AbortSignal;
  /** Where to resume after what was already read of the same version. */
  startByte?: number;
  version?: string | undefined;
};

export type UrlContent = {
  content: Readable;
  /** Offset of the content: 0 if the server does not support ranges or has another version by now. */
  startByte: number;
  /** Of the whole content, as sent. */
  sizeBytes: number | undefined;
  /** Identifies the content, so that a resumed read can't mix two versions. */
  version: string | undefined;
  contentEncoding: string | undefined;
  contentType: string | undefined;
};

type Answer = Awaited<ReturnType<typeof request>>;

/** Opens a URL. Follows redirects itself, so that each hop is checked by the guard. */
export async function openUrl(guard: AddressGuard, wanted: UrlToOpen): Promise<UrlContent> {
  let hop = wanted.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    guard.checkUrl(hop);
    const answer = await send(guard, hop, wanted);
    const { statusCode, body } = answer;
    const isPart = statusCode === 206 && isWantedPart(answer, wanted);
    if (statusCode === 200 || isPart) return toContent(answer, isPart ? (wanted.startByte ?? 0) : 0);
    // The body is not needed, and may never end.
    body.on("error", () => {}).destroy();
    // The range does not exist, or the version has changed: request the whole content instead.
    const { startByte, version, ...whole } = wanted;
    if ((statusCode === 206 || statusCode === 416) && isResumed(wanted)) return await openUrl(guard, whole);
    const location = findHeader(answer, "location");
    if (statusCode < 300 || statusCode >= 400 || !location) throw toUrlError(answer);
    hop = new URL(location, hop);
  }
  throw new UrlError("failed", `its address redirects more than ${MAX_REDIRECTS} times`);
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

/** A connection error as a UrlError if there is more to say about it. */
function toConnectionError(error: unknown): unknown {
  const fault = findCertificateFault(error);
  return fault === undefined ? error : new UrlError("not-set-up", fault, { cause: error });
}

const findHeader = ({ headers }: Answer, name: string) => [headers[name]].flat()[0];

function isWantedPart(answer: Answer, wanted: UrlToOpen): boolean {
  const isFromThere = findHeader(answer, "content-range")?.startsWith(`bytes ${wanted.startByte}-`) ?? false;
  return isResumed(wanted) && isFromThere && (findVersion(answer) ?? wanted.version) === wanted.version;
}

/** A weak ETag does not guarantee equal bytes. */
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
    // Errors reach the reader of the content.
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

/** Whether opening or reading a URL may be retried, and after what delay its server asks for. */
export function findUrlRetry(error: unknown): { afterMs: number } | undefined {
  if (error instanceof UrlError) return error.isTransient ? { afterMs: error.retryAfterMs ?? 0 } : undefined;
  return isTransientFailure(error) ? { afterMs: 0 } : undefined;
}
