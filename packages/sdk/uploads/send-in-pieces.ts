import type { Asset, Upload, UploadPart } from "@stemwright/contract";
import { platform } from "#platform";
import { ApiError } from "../errors.ts";
import { makeRetryDelayMs } from "../http/retry-delay.ts";
import { sleep } from "../http/sleep.ts";
import { toStream } from "../http/stream-chunks.ts";
import { isWorthRetrying, type Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import type { ResumableUploads } from "../resources/resumable-uploads.ts";
import type { UploadProgress } from "./multipart.ts";
import type { UploadSource } from "./upload-source.ts";
import { findXhrFetch } from "./xhr-fetch.ts";

/** Larger files are sent in pieces of this size: proxies that buffer a request lose no more when it breaks. */
export const PIECE_BYTES = 16 * 1024 ** 2;
/** A broken line is given more patience than a failing request: failures in a row without a new byte, for each retry of a request. */
const PATIENCE = 4;
const PARTS_AT_ONCE = 3;
/** Somebody else continues the upload, or it is gone: it starts again. */
const LOST_CODES = ["UPLOAD_TAKEN_OVER", "NOT_FOUND"];
/** Limit for deleting an upload after an abort. */
const DELETE_TIMEOUT_MS = 10_000;

type SizedSource = UploadSource & { sizeBytes: number };
export type PieceOptions = RequestOptions & {
  /** Keep what was sent when the signal aborts, so that a later upload of the same file resumes there. By default it is deleted. */
  keepOnAbort?: boolean | undefined;
  onProgress?: ((progress: UploadProgress) => void) | undefined;
};

type Sending = {
  transport: Transport;
  uploads: ResumableUploads;
  source: SizedSource;
  options: PieceOptions;
};

const codeOf = (error: unknown) => (error instanceof ApiError ? (error.code ?? "") : "");

/** Where another process, page or request may have left off. */
const toFingerprint = ({ name, sizeBytes, modifiedAtMs }: SizedSource, kind: string) =>
  modifiedAtMs === undefined ? undefined : `${kind} ${sizeBytes} ${modifiedAtMs} ${name}`.slice(0, 500);

async function findEarlier({ uploads, source, options }: Sending, fingerprint: string | undefined) {
  if (fingerprint === undefined || options.idempotencyKey) return undefined;
  const { items } = await uploads.list({ take: 100 }, options).page();
  return items.find(
    (upload) => upload.fingerprint === fingerprint && upload.size === source.sizeBytes && !upload.isReceiving,
  );
}

/** A part of the source as a body: a stream that counts, or in browsers a Blob, which they count themselves. */
function openPart({ source, options }: Sending, start: number, end: number) {
  const tell = (sentBytes: number) =>
    options.onProgress?.({ sentBytes: start + sentBytes, totalBytes: source.sizeBytes });
  if (!platform.canStreamBodies && source.blob) {
    const fetch = options.onProgress && findXhrFetch(({ sentBytes }) => tell(sentBytes));
    return { content: source.blob.slice(start, end), headers: {}, fetch };
  }
  async function* count(): AsyncGenerator<Uint8Array> {
    let sentBytes = 0;
    const reader = source.open({ start, end }).getReader();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        yield chunk.value;
        sentBytes += chunk.value.byteLength;
        tell(sentBytes);
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }
  return {
    content: toStream(count()),
    headers: { "content-length": String(end - start) },
    fetch: undefined,
  };
}

type Attempts<Result> = {
  send(): Promise<Result>;
  /** Whether an error that is not worth a retry elsewhere is one here. */
  canRecover(error: unknown): boolean;
  /** Finds out what arrived; true if it is more than before. */
  recover(error: unknown): Promise<boolean>;
};

/** Repeats `send` until it resolves; failures in a row without progress are limited. */
async function persist<Result>(
  { transport, options }: Sending,
  { send, canRecover, recover }: Attempts<Result>,
): Promise<Result> {
  const { signal, maxRetries = transport.maxRetries } = options;
  let failures = 0;
  let attempt = send;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (failures >= maxRetries * PATIENCE || !(isWorthRetrying(error) || canRecover(error))) throw error;
      await sleep(
        makeRetryDelayMs(failures, error instanceof ApiError ? error.retryAfterMs : undefined),
        signal,
      );
      failures += 1;
      attempt = async () => {
        if (await recover(error)) failures = 0;
        return await send();
      };
    }
  }
}

async function sendResumably(sending: Sending): Promise<Asset> {
  const { uploads, source, options } = sending;
  const fingerprint = toFingerprint(source, "tus");
  const { idempotencyKey, ...shared } = options;
  let current: { id: string; offset: number } | undefined;
  const create = () =>
    uploads.create({ ...source, contentType: source.type, fingerprint }, { ...shared, idempotencyKey });

  async function send(): Promise<Asset> {
    current ??= (await findEarlier(sending, fingerprint)) ?? (await create());
    while (current.offset < source.sizeBytes) {
      const end = Math.min(current.offset + PIECE_BYTES, source.sizeBytes);
      const { content, headers, fetch } = openPart(sending, current.offset, end);
      const merged = {
        ...shared,
        headers: { ...options.headers, ...headers },
        maxRetries: 0,
        ...(fetch && { fetch }),
      };
      current.offset = await uploads.append(current.id, current.offset, content, merged);
    }
    return await uploads.complete(current.id, shared);
  }
  async function recover(error: unknown): Promise<boolean> {
    if (!current) return false;
    if (LOST_CODES.includes(codeOf(error))) {
      current = await uploads.create({ ...source, contentType: source.type, fingerprint }, shared);
      return false;
    }
    const { offset } = await uploads.get(current.id, shared);
    const hasGrown = offset > current.offset;
    current.offset = offset;
    return hasGrown;
  }
  const canRecover = (error: unknown) =>
    current !== undefined && ["UPLOAD_OFFSET_WRONG", ...LOST_CODES].includes(codeOf(error));
  return await orDelete(
    sending,
    () => current?.id,
    () => persist(sending, { send, canRecover, recover }),
  );
}

async function sendPart(sending: Sending, { url, start, size }: UploadPart): Promise<void> {
  const { transport, options } = sending;
  const { content, headers, fetch } = openPart(
    { ...sending, options: { ...options, onProgress: undefined } },
    start,
    start + size,
  );
  await transport.open(
    {
      ...{ method: "PUT", path: url, isLink: true, headers, timeoutMs: Number.POSITIVE_INFINITY },
      body: { make: () => content, isOnce: true },
      ...(fetch && { fetch }),
    },
    { signal: options.signal },
  );
}

async function sendParts(sending: Sending, upload: Upload): Promise<void> {
  const { source, options } = sending;
  const waiting = (upload.parts ?? []).values();
  let sentBytes = upload.offset;
  const failures: unknown[] = [];
  async function sendNext(): Promise<void> {
    for (const part of waiting) {
      if (failures.length > 0) return;
      await sendPart(sending, part).catch((error) => failures.push(error));
      sentBytes += part.size;
      if (failures.length === 0) options.onProgress?.({ sentBytes, totalBytes: source.sizeBytes });
    }
  }
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendNext));
  if (failures.length > 0) throw failures[0];
}

async function sendDirectly(sending: Sending): Promise<Asset> {
  const { uploads, source, options } = sending;
  const fingerprint = toFingerprint(source, "direct");
  const { idempotencyKey, ...shared } = options;
  let current: Upload | undefined;

  async function send(): Promise<Asset> {
    const earlier = current ?? (await findEarlier(sending, fingerprint));
    current = earlier
      ? await uploads.get(earlier.id, shared)
      : await uploads.createDirect(
          { ...source, contentType: source.type, fingerprint },
          { ...shared, idempotencyKey },
        );
    while (current.parts?.length) {
      await sendParts(sending, current);
      current = await uploads.get(current.id, shared);
    }
    return await uploads.complete(current.id, shared);
  }
  async function recover(): Promise<boolean> {
    const before = current?.offset ?? 0;
    if (current) current = await uploads.get(current.id, shared);
    return (current?.offset ?? 0) > before;
  }
  // The bucket refuses a URL that has expired, in its own words.
  const canRecover = (error: unknown) => error instanceof ApiError && error.code === undefined;
  return await orDelete(
    sending,
    () => current?.id,
    () => persist(sending, { send, canRecover, recover }),
  );
}

/** After an abort what was sent is deleted, unless it is to be kept. */
async function orDelete<Result>(
  { uploads, options }: Sending,
  findId: () => string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const id = findId();
    if (options.signal?.aborted && !options.keepOnAbort && id)
      await uploads
        .delete(id, { ...options, signal: undefined, timeoutMs: DELETE_TIMEOUT_MS })
        .catch(() => {});
    throw error;
  }
}

/** Uploads a file in pieces, to the service or straight into its bucket; resumes what an earlier attempt left. */
export const sendInPieces = (sending: Sending, way: "resumable" | "direct"): Promise<Asset> =>
  way === "direct" ? sendDirectly(sending) : sendResumably(sending);
