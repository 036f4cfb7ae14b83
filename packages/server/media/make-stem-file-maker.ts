import { mkdir, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { MediaError, makeStemFile } from "@stemwright/engine";
import { MAX_STEM_FILE_SECONDS, type StemFilePlan } from "../domain/exports/stem-file-plan.ts";
import { makeGate } from "../domain/gate.ts";
import { makeId } from "../domain/ids.ts";
import type { Blobs } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";

/** Each needs gigabytes of disk space until it has been downloaded, and a slow reader takes his time. */
const DOWNLOADS = { max: 4, waitersMax: 8, waitMs: 60_000 };
/** Each keeps a core busy, which the API needs for other work, and on a laptop the worker too. A download that has begun waits for its turn. */
const TRACKS = { max: 2, waitersMax: DOWNLOADS.max, waitMs: 600_000 };

/** Makes stem files from stored stems. `tempDir` is swept after a kill. */
export function makeStemFileMaker(blobs: Pick<Blobs, "copyTo">, tempDir: string) {
  const [downloads, tracks] = [makeGate(DOWNLOADS), makeGate(TRACKS)];

  async function* make({ mixKey, stems }: StemFilePlan, clientId: string): AsyncGenerator<Uint8Array> {
    const leave = await downloads.enter(clientId);
    const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const leaveTracks = await tracks.enter(clientId);
      return await work().finally(leaveTracks);
    };
    const workDir = join(tempDir, makeId());
    try {
      await mkdir(workDir, { recursive: true, mode: 0o700 });
      const fetchFile = async (blobKey: string, name: string) => {
        const path = join(workDir, name + extname(blobKey));
        await blobs.copyTo(blobKey, path);
        return path;
      };
      const files = [];
      for (const [index, { blobKey, ...stem }] of stems.entries())
        files.push({ ...stem, path: await fetchFile(blobKey, `input-${index}`) });
      const mix = mixKey === undefined ? {} : { mixPath: await fetchFile(mixKey, "input") };
      yield* makeStemFile({
        ...mix,
        stems: files,
        workDir,
        inTurn,
        maxDurationSeconds: MAX_STEM_FILE_SECONDS,
      });
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      if (error.kind === "machine-failed")
        throw new Refusal("UNAVAILABLE", "The stem file could not be made just now; try again in a moment");
      throw new Refusal("MEDIA_UNREADABLE", `No stem file can be made of the Task: ${error.message}`);
    } finally {
      await rm(workDir, { recursive: true, force: true });
      leave();
    }
  }
  return { make };
}
