import type { EngineError } from "../engine-error.ts";
import type { AudioFormat, DecodedMedia, EncodedFile, WavBitDepth } from "../media/index.ts";

export type SeparateFile = {
  output: "stem" | "residual";
  format: AudioFormat;
  path: string;
  wavBitDepth?: WavBitDepth;
};

export type SeparateTarget = {
  key: string;
  /** A catalogue id, e.g. "vocals". */
  model: string;
  variant?: string;
  residual: boolean;
  files: SeparateFile[];
};

export type SeparateRequest = {
  inputPath: string;
  /** Holds the decoded input and the spooled stems; the same folder on a second run continues the first. */
  workDir: string;
  targets: SeparateTarget[];
  maxDurationSeconds?: number;
};

export type TargetResult = { durationSeconds: number; files: EncodedFile[] };

export type SeparateReport = {
  onInput?: (info: DecodedMedia) => void | Promise<void>;
  /** 0 to 1, never falling, over the whole request. */
  onProgress?: (fraction: number) => void;
  onTargetDone?: (key: string, result: TargetResult) => void | Promise<void>;
  onTargetFailed?: (key: string, error: EngineError) => void | Promise<void>;
};
