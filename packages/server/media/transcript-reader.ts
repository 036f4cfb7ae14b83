import { EngineError, parseTranscript, TRANSCRIPT_MAX_BYTES } from "@stemwright/engine";
import { toBucketError } from "../buckets/to-bucket-error.ts";
import type { Blobs, TranscriptReader } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { isCustomerBlobKey } from "../domain/storage/customer-object.ts";

/** One byte more than allowed is enough to see that a transcript is too long. Not a range: buckets refuse one of an empty object. */
async function readTranscript(blobs: Blobs, blobKey: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of await blobs.read(blobKey)) {
    chunks.push(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > TRANSCRIPT_MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** What a client's bucket says against an object; what goes wrong while it is sent is the bucket's fault as well. */
async function readFromBucket(blobs: Blobs, blobKey: string): Promise<Buffer | string> {
  try {
    return await readTranscript(blobs, blobKey);
  } catch (error) {
    const { message, isTransient } = toBucketError(error);
    const fault = `The transcript can't be read from its bucket: ${message}`;
    if (isTransient) throw new Refusal("UNAVAILABLE", `${fault}; try again in a moment`);
    return fault;
  }
}

/** Reads stored transcripts as the engine will. */
export function makeTranscriptReader(blobs: Blobs): TranscriptReader {
  return {
    async findFault(blobKey) {
      const isTheirs = isCustomerBlobKey(blobKey);
      if (!isTheirs && (await blobs.findSize(blobKey)) === undefined) {
        // The file is also missing if the store has lost its bucket or folder: that is an outage.
        await blobs.check();
        return "The transcript's file is no longer kept; upload it again.";
      }
      const content = isTheirs ? await readFromBucket(blobs, blobKey) : await readTranscript(blobs, blobKey);
      if (typeof content === "string") return content;
      try {
        parseTranscript(content);
        return undefined;
      } catch (error) {
        if (error instanceof EngineError) return error.message;
        throw error;
      }
    },
  };
}
