import type { AudioFormat, WavBitDepth } from "./audio-format.ts";
import type { MediaErrorKind } from "./media-error.ts";

/** What the parent asks of a media child. Files are descriptors the child inherits, never paths. */
export type MediaRequest = ProbeRequest | DecodeRequest | EncodeRequest | { kind: "describe" };

export type ProbeRequest = { kind: "probe"; inputFd: number };

export type DecodeRequest = {
  kind: "decode";
  inputFd: number;
  pcmFd: number;
  inputSizeBytes: number;
  maxDurationSeconds?: number;
};

export type EncodeRequest = {
  kind: "encode";
  sampleRateHz: number;
  channels: number;
  channelLayout: string;
  files: EncodeTarget[];
  tags: Record<string, string>;
};

export type EncodeResult = { lengthFrames: number; clippedSamples: number[] };

export type EncodeTarget = {
  fd: number;
  format: AudioFormat;
  wavBitDepth: WavBitDepth;
  picture?: PictureFds;
};

/**
 * The same file opened once for each reader of it: duplicates of one descriptor would share a read position.
 */
export type PictureFds = { videoFd: number; soundFd: number };

/** What the child tells the parent. */
export type MediaReport =
  | { kind: "ready" }
  | { kind: "progress"; fraction: number }
  | { kind: "done"; result: unknown }
  | { kind: "failed"; errorKind: MediaErrorKind; message: string };
