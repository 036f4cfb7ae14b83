import { z } from "zod";
import type { AudioFormat, WavBitDepth } from "./audio-format.ts";
import { MEDIA_ERROR_KINDS } from "./media-error.ts";
import type { SandboxMode } from "./sandbox-mode.ts";

/** The parent's single request to a media child. Files are inherited descriptors, never paths. */
export type MediaRequest = { work: MediaWork; sandbox: SandboxMode };

export type MediaWork =
  | ProbeRequest
  | DecodeRequest
  | DecodeRangeRequest
  | EncodeRequest
  | { kind: "describe" };

/** `cpuSeconds` includes starting the process. */
export type ProbeRequest = { kind: "probe"; inputFd: number; cpuSeconds: number };

export type DecodeRequest = {
  kind: "decode";
  inputFd: number;
  pcmFd: number;
  inputSizeBytes: number;
  maxDurationSeconds?: number;
  maxBytes?: number;
};

export type DecodeRangeRequest = Omit<DecodeRequest, "kind" | "maxDurationSeconds"> & {
  kind: "decode-range";
  startSeconds: number;
  endSeconds: number;
};

export type EncodeRequest = {
  kind: "encode";
  sampleRateHz: number;
  channels: number;
  channelLayout: string;
  files: EncodeTarget[];
  tags: Record<string, string>;
  /** How much of the audio precedes that of the picture's file. */
  leadSeconds: number;
};

export const encodeResultSchema = z.object({
  lengthFrames: z.int().nonnegative(),
  clippedSamples: z.array(z.int().nonnegative()),
});

export type EncodeResult = z.infer<typeof encodeResultSchema>;

export type EncodeTarget = {
  fd: number;
  format: AudioFormat;
  wavBitDepth: WavBitDepth;
  picture?: PictureFds;
};

/** The same file opened once per reader: duplicates of a descriptor would share a read position. */
export type PictureFds = { videoFd: number; soundFd: number };

/** Messages from the child to the parent, one line of JSON each. */
export const mediaReportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("progress"), fraction: z.number().min(0).max(1) }),
  z.object({ kind: z.literal("done"), result: z.unknown() }),
  z.object({ kind: z.literal("failed"), errorKind: z.enum(MEDIA_ERROR_KINDS), message: z.string() }),
]);

export type MediaReport = z.infer<typeof mediaReportSchema>;
