import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "../engine-error.ts";
import { findJson, replaceJson } from "../files/json-file.ts";
import { toPcmBytes } from "../files/pcm-bytes.ts";
import { type DecodedMedia, decodeToPcm } from "../media/index.ts";
import { sha256OfFile } from "../runtime/sha256-of-file.ts";
import { toEngineError } from "./to-engine-error.ts";

export type DecodedInput = { info: DecodedMedia; sha256: string; pcmPath: string };

const recordSchema = z.object({
  sha256: z.string(),
  info: z.object({
    container: z.string(),
    codec: z.string(),
    sampleRateHz: z.number(),
    channels: z.number(),
    channelLayout: z.string(),
    durationSeconds: z.number().optional(),
    hasVideo: z.boolean(),
    pictureCodec: z.string().exactOptional(),
    tags: z.record(z.string(), z.string()).exactOptional(),
    lengthFrames: z.number(),
    audioStartSeconds: z.number().exactOptional(),
  }),
});

/**
 * The input as raw PCM in the work folder, decoded once: a later run finds it by the sha256 of the file. The record is written after the PCM, so if it
 * exists, the PCM is complete.
 */
export async function loadDecodedInput(options: {
  inputPath: string;
  workDir: string;
  maxDurationSeconds?: number;
  maxDecodedBytes?: number;
  onStart: () => void;
  onProgress: (fraction: number) => void;
}): Promise<DecodedInput> {
  const { inputPath, workDir, maxDurationSeconds, maxDecodedBytes, onStart, onProgress } = options;
  const limits = {
    ...(maxDurationSeconds === undefined ? {} : { maxDurationSeconds }),
    ...(maxDecodedBytes === undefined ? {} : { maxBytes: maxDecodedBytes }),
  };
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  const pcmPath = join(workDir, "input.f32");
  const recordPath = join(workDir, "input.json");
  const sha256 = hashInput(inputPath);
  const known = findRecord({ recordPath, pcmPath, sha256 });
  if (known === undefined) rmSync(recordPath, { force: true });
  const info = known ?? (await decode({ inputPath, pcmPath, onStart, onProgress, ...limits }));
  if (info.lengthFrames === 0) throw new EngineError("input-no-audio", "The input contains no audio.");
  if (maxDurationSeconds !== undefined && info.lengthFrames / info.sampleRateHz > maxDurationSeconds) {
    throw new EngineError("input-too-long", `The input is longer than ${maxDurationSeconds} seconds.`);
  }
  if (maxDecodedBytes !== undefined && toPcmBytes(info) > maxDecodedBytes)
    throw new EngineError(
      "input-too-large",
      `The input decodes to more than ${maxDecodedBytes} bytes of audio.`,
    );
  if (known === undefined) replaceJson(recordPath, { sha256, info });
  return { info, sha256, pcmPath };
}

function hashInput(path: string): string {
  try {
    return sha256OfFile(path);
  } catch (error) {
    throw new EngineError("input-unreadable", "The input file cannot be read.", { cause: error });
  }
}

async function decode(options: Parameters<typeof decodeToPcm>[0]): Promise<DecodedMedia> {
  try {
    return await decodeToPcm(options);
  } catch (error) {
    throw toEngineError(error, "decoding");
  }
}

function findRecord(options: {
  recordPath: string;
  pcmPath: string;
  sha256: string;
}): DecodedMedia | undefined {
  const record = recordSchema.safeParse(findJson(options.recordPath));
  if (!record.success || record.data.sha256 !== options.sha256) return undefined;
  const { durationSeconds, ...info } = record.data.info;
  const isWhole = statSync(options.pcmPath, { throwIfNoEntry: false })?.size === toPcmBytes(info);
  return isWhole ? { ...info, durationSeconds } : undefined;
}
