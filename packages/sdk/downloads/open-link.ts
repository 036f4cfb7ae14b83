import { ApiError, ConnectionError, StemwrightError } from "../errors.ts";
import { makeRetryDelayMs } from "../http/retry-delay.ts";
import { sleep } from "../http/sleep.ts";
import { toChunks, toStream } from "../http/stream-chunks.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

const IDLE_LIMIT_MS = 60_000;
/** Status of an expired link: 403 from this service, AWS and Azure, 400 from Google. */
const EXPIRED_STATUSES = [400, 403];

export type DownloadProgress = { receivedBytes: number; totalBytes: number | undefined };

export type DownloadOptions = RequestOptions & {
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
};

/** A download link and a way to get a fresh one. */
export type LinkSource = { link: string; renew(): Promise<string> };

/** Requests the file from a byte offset; renews the link if it has expired. */
function makeConnector(transport: Transport, source: LinkSource, options: RequestOptions) {
  let { link } = source;
  const send = (headers: Record<string, string>) =>
    transport.open({ method: "GET", path: link, isLink: true, headers }, options);
  return async (startByte: number, tag: string | null): Promise<Response> => {
    const headers: Record<string, string> = {};
    if (startByte > 0) headers.range = `bytes=${startByte}-`;
    if (startByte > 0 && tag !== null) headers["if-range"] = tag;
    try {
      return await send(headers);
    } catch (error) {
      if (!(error instanceof ApiError) || !EXPIRED_STATUSES.includes(error.status)) throw error;
      link = await source.renew();
      return await send(headers);
    }
  };
}

/** Skips bytes already received, for servers that ignore Range. */
async function* passOver(chunks: AsyncIterable<Uint8Array>, countBytes: number): AsyncGenerator<Uint8Array> {
  let leftBytes = countBytes;
  for await (const chunk of chunks) {
    if (leftBytes < chunk.byteLength) yield chunk.subarray(leftBytes);
    leftBytes = Math.max(0, leftBytes - chunk.byteLength);
  }
}

/**
 * Opens a download link. If the connection drops, the response body resumes by Range, with a fresh link if the old one has
 * expired.
 */
export async function openLink(
  transport: Transport,
  source: LinkSource,
  options: DownloadOptions = {},
): Promise<Response> {
  const { signal, onProgress, maxRetries = transport.maxRetries } = options;
  const connect = makeConnector(transport, source, options);
  const first = await connect(0, null);
  const { headers } = first;
  const tag = headers.get("etag");
  const length = headers.get("content-encoding") === null ? headers.get("content-length") : null;
  const totalBytes = length === null ? undefined : Number(length);
  let receivedBytes = 0;

  async function* readOnce(response: Response): AsyncGenerator<Uint8Array> {
    if (!response.body) throw new ConnectionError("The response body cannot be read as a stream");
    const isWhole = response.status !== 206;
    if (receivedBytes > 0 && isWhole && response.headers.get("etag") !== tag)
      throw new StemwrightError("The file changed during the download; start again");
    const chunks = toChunks(response.body, IDLE_LIMIT_MS);
    try {
      yield* receivedBytes > 0 && isWhole ? passOver(chunks, receivedBytes) : chunks;
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`Download interrupted after ${receivedBytes} bytes`, { cause: error });
    }
    if (totalBytes !== undefined && receivedBytes < totalBytes)
      throw new ConnectionError(`Download ended after ${receivedBytes} of ${totalBytes} bytes`);
  }

  async function* readAll(): AsyncGenerator<Uint8Array> {
    let response = first;
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const chunk of readOnce(response)) {
          if (chunk.byteLength > 0) failures = 0;
          receivedBytes += chunk.byteLength;
          onProgress?.({ receivedBytes, totalBytes });
          yield chunk;
        }
        return;
      } catch (error) {
        if (!(error instanceof ConnectionError) || failures >= maxRetries) throw error;
      }
      await sleep(makeRetryDelayMs(failures, undefined), signal);
      response = await connect(receivedBytes, tag);
    }
  }

  return new Response(toStream(readAll()), { status: 200, headers });
}
