import { buffer } from "node:stream/consumers";
import { EngineError, parseTranscript, TRANSCRIPT_MAX_BYTES } from "@stemwright/engine";
import type { Blobs, TranscriptReader } from "../domain/ports.ts";

/** Reads stored transcripts as the engine will. */
export function makeTranscriptReader(blobs: Blobs): TranscriptReader {
  return {
    async findFault(blobKey) {
      if ((await blobs.findSize(blobKey)) === undefined)
        return "The transcript's file is no longer kept; upload it again.";
      // Reading one byte more than allowed shows that a transcript is too long.
      const content = await blobs.read(blobKey, { startByte: 0, endByte: TRANSCRIPT_MAX_BYTES });
      try {
        parseTranscript(await buffer(content));
        return undefined;
      } catch (error) {
        if (error instanceof EngineError) return error.message;
        throw error;
      }
    },
  };
}
