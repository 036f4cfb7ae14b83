import { EngineError, MAX_TRANSCRIPT_BYTES, parseTranscript } from "@stemwright/engine";
import type { Blobs, TranscriptReader } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { isCustomerBlobKey } from "../domain/storage/customer-object.ts";
import { toCustomerObjectRefusal } from "./customer-object-refusal.ts";

const UNUSABLE = "TRANSCRIPT_UNUSABLE";

/** One byte more than allowed is enough to see that a transcript is too long. Not a range: buckets refuse one of an empty object. */
async function readTranscript(blobs: Blobs, blobKey: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of await blobs.read(blobKey)) {
    chunks.push(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > MAX_TRANSCRIPT_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** Reads stored transcripts as the engine will. */
export function makeTranscriptReader(blobs: Blobs): TranscriptReader {
  return {
    async findFault(blobKey) {
      if (!isCustomerBlobKey(blobKey) && (await blobs.findSize(blobKey)) === undefined) {
        // The file is also missing if the store has lost its bucket or folder: that is an outage.
        await blobs.check();
        return "The transcript's file is no longer kept; upload it again.";
      }
      try {
        parseTranscript(await readTranscript(blobs, blobKey));
        return undefined;
      } catch (error) {
        if (error instanceof EngineError) return error.message;
        if (!(error instanceof BucketError)) throw error;
        const refusal = toCustomerObjectRefusal(error, { what: "transcript", code: UNUSABLE });
        if (refusal.code !== UNUSABLE) throw refusal;
        return refusal.message;
      }
    },
  };
}
