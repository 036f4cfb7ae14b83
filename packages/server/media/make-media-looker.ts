import { AUDIO_FORMATS, type AudioFormat, findOutputFault, MediaError, probeMedia } from "@stemwright/engine";
import type { Blobs, MediaLooker } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";

const isAudioFormat = (format: string): format is AudioFormat =>
  AUDIO_FORMATS.some((known) => known === format);

export function makeMediaLooker(blobs: Blobs): MediaLooker {
  return {
    findOutputFault: (format, facts) => (isAudioFormat(format) ? findOutputFault(format, facts) : undefined),
    async look(blobKey) {
      try {
        const { durationSeconds, sampleRateHz, channels, hasVideo, pictureCodec } = await blobs.withLocalFile(
          blobKey,
          (path) => probeMedia(path),
        );
        return {
          isReadable: true,
          sampleRateHz,
          channels,
          hasVideo,
          ...(pictureCodec === undefined ? {} : { pictureCodec }),
          ...(durationSeconds === undefined ? {} : { durationSeconds }),
        };
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        if (error.kind === "unreadable" || error.kind === "no-audio")
          return { isReadable: false, reason: error.kind, message: error.message };
        if (error.kind === "machine-failed")
          throw new Refusal(
            "UNAVAILABLE",
            "The asset could not be looked into just now; try again in a moment",
          );
        // A crash may be the file's or the machine's fault: refuse now, and probe again next time.
        throw new Refusal("MEDIA_UNREADABLE", error.message);
      }
    },
  };
}
