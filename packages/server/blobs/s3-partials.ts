import { extname } from "node:path";
import { Readable } from "node:stream";
import { toMimeType } from "@stemwright/contract";
import type { S3Multipart } from "../buckets/s3-multipart.ts";
import { isUnknownMultipart } from "../buckets/to-bucket-error.ts";
import { LINK_LIFETIME_SECONDS } from "../domain/links.ts";
import type { Blobs } from "../domain/ports.ts";
import {
  listParts,
  type PartialFile,
  PartialFileLost,
  type PartialFiles,
  type PartialWriter,
  toPartialKey,
} from "../domain/uploads/partial-files.ts";
import { tell } from "./with-outages.ts";

/** What an interrupted request leaves is too small for a part, so it is a separate object; the next request starts its part with it. */
const toTailKey = ({ id }: PartialFile, partNumber: number) => `${toPartialKey(id)}/${partNumber}`;

async function orLost<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await tell(call, (error) => !isUnknownMultipart(error));
  } catch (error) {
    throw isUnknownMultipart(error) ? new PartialFileLost() : error;
  }
}

type Bucket = {
  own: Blobs;
  multipart: S3Multipart;
  /** Prepended to every key. */
  prefix: string;
};

/** Sends parts of a fixed size, one while the next is collected. */
function makeWriter(bucket: Bucket, file: PartialFile, { offset, tail }: { offset: number; tail: Buffer }) {
  const { own, multipart } = bucket;
  const { partBytes, sizeBytes } = file;
  const place = toPlace(bucket, file);
  let part = Buffer.allocUnsafe(partBytes);
  let partStart = offset - tail.length;
  let filled = tail.copy(part);
  let storedBytes = offset;
  let hasFailed = false;
  let sending: Promise<void> = Promise.resolve();
  const toNumber = (startByte: number) => startByte / partBytes + 1;

  async function send(content: Buffer, startByte: number): Promise<void> {
    try {
      await orLost(multipart.put(place, toNumber(startByte), content));
      storedBytes = startByte + content.length;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
    // Its beginning is no longer needed by itself; what remains goes when the upload ends.
    if (startByte < offset) await own.delete(toTailKey(file, toNumber(startByte))).catch(() => {});
  }

  async function startSending(): Promise<void> {
    await sending;
    sending = send(part.subarray(0, filled), partStart);
    // Whoever awaits it next gets the error.
    sending.catch(() => {});
    partStart += filled;
    filled = 0;
    part = Buffer.allocUnsafe(partBytes);
  }

  const writer: PartialWriter = {
    async write(chunk) {
      for (let taken = 0; taken < chunk.length; ) {
        const copied = chunk.copy(part, filled, taken);
        taken += copied;
        filled += copied;
        if (filled === partBytes) await startSending();
      }
    },
    sync: async () => storedBytes,
    async close() {
      await sending.catch(() => {});
      if (hasFailed) return storedBytes;
      const reached = partStart + filled;
      if (reached === sizeBytes && filled > 0) {
        await startSending();
        await sending;
      } else if (reached > storedBytes) {
        await own.write(toTailKey(file, toNumber(partStart)), Readable.from([part.subarray(0, filled)]));
        storedBytes = reached;
      }
      return storedBytes;
    },
  };
  return writer;
}

function toPlace({ prefix }: Bucket, { key, multipartId }: PartialFile) {
  if (multipartId === undefined) throw new PartialFileLost();
  return { key: prefix + key, uploadId: multipartId };
}

/** Unfinished files as multipart uploads of our bucket, which become objects when they are completed. */
export function openS3Partials(bucket: Bucket & { isDirectAllowed: boolean }): PartialFiles {
  const { own, multipart, prefix } = bucket;

  async function loadTail(file: PartialFile, offset: number): Promise<Buffer> {
    const tailBytes = offset % file.partBytes;
    if (tailBytes === 0 || offset === file.sizeBytes) return Buffer.alloc(0);
    const stored = await own.findBytes(toTailKey(file, Math.floor(offset / file.partBytes) + 1));
    // A killed process may have stored more than it recorded.
    if (!stored || stored.length < tailBytes) throw new PartialFileLost();
    return stored.subarray(0, tailBytes);
  }

  async function completeParts(file: PartialFile): Promise<void> {
    const stored = await orLost(multipart.list(toPlace(bucket, file)));
    const sizes = new Map(stored.map(({ number, sizeBytes }) => [number, sizeBytes]));
    const parts = listParts(file, sizes);
    if (!parts.every(({ isStored }) => isStored)) throw new PartialFileLost();
    await orLost(multipart.complete(toPlace(bucket, file), stored.slice(0, parts.length)));
  }

  return {
    begin: (file) => tell(multipart.create(prefix + file.key, toMimeType(extname(file.key).slice(1)))),
    async open(file, offset) {
      return makeWriter(bucket, file, { offset, tail: await loadTail(file, offset) });
    },
    async finish(file) {
      try {
        await completeParts(file);
      } catch (error) {
        // A process that died afterwards has completed it already.
        const isLost = error instanceof PartialFileLost;
        if (!isLost || (await own.findSize(file.key)) !== file.sizeBytes) throw error;
      }
      await own.delete(toPartialKey(file.id));
    },
    async abort(file) {
      if (file.multipartId !== undefined) await tell(multipart.abort(toPlace(bucket, file)));
      await own.delete(toPartialKey(file.id));
    },
    direct: bucket.isDirectAllowed
      ? {
          async listSizes(file) {
            const stored = await orLost(multipart.list(toPlace(bucket, file)));
            return new Map(stored.map(({ number, sizeBytes }) => [number, sizeBytes]));
          },
          sign: (file, part) => tell(multipart.sign(toPlace(bucket, file), part, LINK_LIFETIME_SECONDS)),
        }
      : undefined,
  };
}
