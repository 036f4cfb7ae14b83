import { AUDIO_FORMATS, type AudioFormat, findOutputFault, MediaError, probeMedia } from "@stemwright/engine";
import type { AssetRecord } from "../domain/assets/asset-record.ts";
import { makeGate } from "../domain/gate.ts";
import type { Blobs, MediaProbe } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { isCustomerBlobKey } from "../domain/storage/customer-object.ts";
import { toCustomerObjectRefusal } from "./customer-object-refusal.ts";

const isAudioFormat = (format: string): format is AudioFormat =>
  AUDIO_FORMATS.some((known) => known === format);

/** A file may be missing only for a while, as when a disk is not mounted: that says nothing about the asset. */
async function checkKept(blobs: Blobs, blobKey: string): Promise<void> {
  if ((await blobs.findSize(blobKey)) !== undefined) return;
  await blobs.check();
  throw new Refusal("MEDIA_UNREADABLE", "The asset's file is no longer kept; upload it again");
}

/** A probe takes a third of a second of a core: with this many waiting, the last waits about five seconds. */
const WAITERS_PER_PLACE = 16;
const WAIT_MS = 15_000;

type LocalWork = <Result>(use: (path: string) => Promise<Result>) => Promise<Result>;

/**
 * Limits concurrent probes: hundreds of processes would starve everything else on the machine. Copying a file from a client's bucket may take minutes, so
 * that has separate places. Of both, a client gets at most half, and those who wait take turns.
 */
function limitProbes(blobs: Blobs, atOnce: number) {
  const limits = { max: atOnce, waitersMax: atOnce * WAITERS_PER_PLACE, waitMs: WAIT_MS };
  const [probes, copies] = [makeGate(limits), makeGate(limits)];
  const hold = async <Result>(
    entering: Promise<() => void>,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const leave = await entering;
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return ({ blobKey, clientId }: Pick<AssetRecord, "blobKey" | "clientId">): LocalWork =>
    isCustomerBlobKey(blobKey)
      ? (use) =>
          hold(copies.enter(clientId), () =>
            blobs.withLocalFile(blobKey, (path) => hold(probes.enter(clientId), () => use(path))),
          )
      : (use) => hold(probes.enter(clientId), () => blobs.withLocalFile(blobKey, use));
}

export function makeMediaProbe(blobs: Blobs, { probesAtOnce }: { probesAtOnce: number }): MediaProbe {
  const openLocally = limitProbes(blobs, probesAtOnce);
  return {
    findOutputFault: (format, facts) => (isAudioFormat(format) ? findOutputFault(format, facts) : undefined),
    async look(asset) {
      const { blobKey } = asset;
      try {
        const { durationSeconds, sampleRateHz, channels, hasVideo, pictureCodec, container } =
          await openLocally(asset)((path) => probeMedia(path));
        return {
          isReadable: true,
          sampleRateHz,
          channels,
          hasVideo,
          container,
          ...(pictureCodec === undefined ? {} : { pictureCodec }),
          ...(durationSeconds === undefined ? {} : { durationSeconds }),
        };
      } catch (error) {
        if (error instanceof BucketError && isCustomerBlobKey(blobKey))
          throw toCustomerObjectRefusal(error, { what: "asset", code: "MEDIA_UNREADABLE" });
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
          throw new Refusal("UNAVAILABLE", "The asset could not be probed; retry shortly");
        // A crash may be the file's or the machine's fault: refuse now, and probe again next time.
        throw new Refusal("MEDIA_UNREADABLE", error.message);
      }
    },
  };
}
