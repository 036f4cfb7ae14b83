import { AUDIO_FORMATS, type AudioFormat, findOutputFault, MediaError, probeMedia } from "@stemwright/engine";
import type { Blobs, MediaLooker } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { isCustomerBlobKey } from "../domain/storage/customer-object.ts";

const isAudioFormat = (format: string): format is AudioFormat =>
  AUDIO_FORMATS.some((known) => known === format);

/** A file may be missing only for a while, as when a disk is not mounted: that says nothing about the asset. */
async function checkKept(blobs: Blobs, blobKey: string): Promise<void> {
  if ((await blobs.findSize(blobKey)) !== undefined) return;
  await blobs.check();
  throw new Refusal("MEDIA_UNREADABLE", "The asset's file is no longer kept; upload it again");
}

/** Why an output in a client's bucket can't be read now. */
function toRefusal({ kind, isTransient, message }: BucketError): Refusal {
  const reason = `The asset can't be read from its bucket: ${message}`;
  if (isTransient) return new Refusal("UNAVAILABLE", `${reason}; try again in a moment`);
  return new Refusal(kind === "not-set-up" ? "NOT_SET_UP" : "MEDIA_UNREADABLE", reason);
}

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
        if (error instanceof BucketError && isCustomerBlobKey(blobKey)) throw toRefusal(error);
        if (error instanceof BucketError || (error instanceof MediaError && error.kind === "unreadable"))
          await checkKept(blobs, blobKey);
        if (!(error instanceof MediaError)) {
          // A lost folder or bucket also fails the local copy.
          await blobs.check();
          throw error;
        }
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
