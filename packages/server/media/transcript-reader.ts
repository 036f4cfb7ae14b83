import { buffer } from "node:stream/consumers";
import { EngineError, parseTranscript, TRANSCRIPT_MAX_BYTES } from "@stemwright/engine";
import type { Blobs, TranscriptReader } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";

/** Buckets refuse a range of an empty object. */
const readTranscript = async (blobs: Blobs, blobKey: string, sizeBytes: number): Promise<Buffer> =>
  sizeBytes === 0
    ? Buffer.alloc(0)
    : // Reading one byte more than allowed shows that a transcript is too long.
      await buffer(await blobs.read(blobKey, { startByte: 0, endByte: TRANSCRIPT_MAX_BYTES }));

/** Reads stored transcripts as the engine will. */
export function makeTranscriptReader(blobs: Blobs): TranscriptReader {
  return {
    async findFault(blobKey) {
      const sizeBytes = await blobs.findSize(blobKey);
      if (sizeBytes === undefined) {
        // The file is also missing if the store has lost its bucket or folder: that is an outage.
        await blobs.check();
        return "The transcript's file is no longer kept; upload it again.";
      }
      try {
        parseTranscript(await readTranscript(blobs, blobKey, sizeBytes));
        return undefined;
      } catch (error) {
        if (error instanceof EngineError) return error.message;
        if (error instanceof BucketError)
          return `The transcript can't be read from its bucket: ${error.message}`;
        throw error;
      }
    },
  };
}
