import { type FileHandle, open, rm } from "node:fs/promises";
import { isDiskFull } from "../is-disk-full.ts";
import type { EncodeFile } from "./audio-format.ts";
import { MediaError, makeDiskFullError } from "./media-error.ts";
import { type EncodeResult, type EncodeTarget, encodeResultSchema } from "./media-request.ts";
import { openInputFile } from "./open-input-file.ts";
import { FIRST_FILE_FD, type MediaChild, startMediaChild } from "./start-media-child.ts";

export type EncoderOptions = {
  sampleRateHz: number;
  channels: number;
  /** FFmpeg's description, as in MediaInfo. */
  channelLayout: string;
  files: readonly EncodeFile[];
  tags?: Record<string, string>;
  /** A video whose picture is copied bit for bit into mp4 outputs, in sync with its own audio. */
  pictureFrom?: string;
  /** How much of the audio precedes the video's own, which must not start later than that. */
  leadSeconds?: number;
};

export interface PcmEncoder {
  /** Resolves when the samples have left this process: the array may then be reused. */
  write(interleaved: Float32Array): Promise<void>;
  /** Resolves with the number of clipped samples in each file; float formats do not clip. */
  finish(): Promise<{ clippedSamples: number[] }>;
  abort(): Promise<void>;
}

/** Encodes one stream of PCM into any number of files at once. */
export async function openEncoder(options: EncoderOptions): Promise<PcmEncoder> {
  const { sampleRateHz, channels, channelLayout, files, tags = {}, pictureFrom, leadSeconds = 0 } = options;
  const opened: FileHandle[] = [];
  try {
    const targets = await openTargets({ files, pictureFrom, opened });
    const child = await startMediaChild({
      work: { kind: "encode", sampleRateHz, channels, channelLayout, files: targets, tags, leadSeconds },
      resultSchema: encodeResultSchema,
      files: opened,
      watchStall: false,
    });
    const encoder = makePcmEncoder({ child, files, channels });
    child.startStallWatch();
    await child.ready;
    child.stopStallWatch();
    return encoder;
  } catch (error) {
    await removeFiles(files);
    throw error;
  } finally {
    // The child holds its own copies.
    await Promise.all(opened.map((file) => file.close()));
  }
}

async function openTargets(options: {
  files: readonly EncodeFile[];
  pictureFrom: string | undefined;
  opened: FileHandle[];
}): Promise<EncodeTarget[]> {
  const { files, pictureFrom, opened } = options;
  const inherit = (file: FileHandle) => FIRST_FILE_FD + opened.push(file) - 1;
  const targets: EncodeTarget[] = [];
  for (const { path, format, wavBitDepth = 32 } of files) {
    // Readable too: the child reads each file back to count its frames.
    const fd = inherit(await open(path, "w+").catch(throwOpenFailure));
    const targetPicture =
      pictureFrom !== undefined && format === "mp4"
        ? {
            picture: {
              videoFd: inherit((await openInputFile(pictureFrom)).file),
              soundFd: inherit((await openInputFile(pictureFrom)).file),
            },
          }
        : {};
    targets.push({ fd, format, wavBitDepth, ...targetPicture });
  }
  return targets;
}

function throwOpenFailure(cause: NodeJS.ErrnoException): never {
  if (isDiskFull(cause)) throw makeDiskFullError({ cause });
  throw new MediaError("encode-failed", `The output ${cause.path} cannot be written (${cause.code}).`, {
    cause,
  });
}

function makePcmEncoder(options: {
  child: MediaChild<EncodeResult>;
  files: readonly EncodeFile[];
  channels: number;
}): PcmEncoder {
  const { child, files, channels } = options;
  const failed = child.result.then(
    () => Promise.reject(new Error("write after finish")),
    async (error) => {
      await removeFiles(files);
      throw error;
    },
  );
  failed.catch(() => {});
  let lengthSamples = 0;
  return {
    async write(interleaved) {
      if (interleaved.length % channels !== 0) throw new RangeError("a block must hold whole frames");
      lengthSamples += interleaved.length;
      child.startStallWatch();
      await Promise.race([sendBlock(child, interleaved), failed]);
      child.stopStallWatch();
    },
    async finish() {
      child.startStallWatch();
      child.stdin.end();
      const { lengthFrames, clippedSamples } = await child.result.catch(() => failed);
      if (lengthFrames !== lengthSamples / channels) {
        await removeFiles(files);
        throw new MediaError(
          "encode-failed",
          `Only ${lengthFrames} of ${lengthSamples / channels} frames were encoded.`,
        );
      }
      return { clippedSamples };
    },
    async abort() {
      child.kill();
      await failed.catch(() => {});
      await removeFiles(files);
    },
  };
}

function sendBlock(child: MediaChild<EncodeResult>, block: Float32Array): Promise<void> {
  const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
  return new Promise((resolve) => {
    // A failed write means a dead child, and `result` has the better reason; so it never settles here.
    child.stdin.write(bytes, (error) => {
      if (!error) resolve();
    });
  });
}

async function removeFiles(files: readonly EncodeFile[]): Promise<void> {
  await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}
