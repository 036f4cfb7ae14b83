import type { EngineError } from "../engine-error.ts";
import type { AudioFormat, WavBitDepth } from "../media/index.ts";
import type { CueLimits } from "../text/split-rows.ts";
import type { TextFormat } from "../text/text-format.ts";
import type { PreviewNews, PreviewRequest } from "./previews/previews.ts";
import type { TargetProgress } from "./stage-progress.ts";
import type { CacheUser } from "./stem-cache.ts";

export type TargetOf<Kind extends string> = {
  kind: Kind;
  key: string;
  /** A catalogue id, e.g. "vocals". */
  model: string;
  variant?: string;
};

/** What a file has of the sound; of voices, each by its number from 1 on. */
export type SoundOutput = "stem" | "residual" | `voice ${number}`;

export type SoundFile = {
  output: SoundOutput;
  format: AudioFormat;
  path: string;
  wavBitDepth?: WavBitDepth;
};

/** A part of the sound. */
export type SoundTarget = TargetOf<"sound"> & { files: SoundFile[] };

/** Each speaker's voice: `<prefix>_01.<format>` and so on, what is left `<prefix>_residual.<format>`, who speaks when `<prefix>.json`. */
export type VoicesTarget = TargetOf<"voices"> & {
  pathPrefix: string;
  formats: AudioFormat[];
  hasResidual: boolean;
  wavBitDepth?: WavBitDepth;
};

/** How a recording is to be listened to; targets that wish the same share one hearing. */
export type HearingWishes = {
  /** The language's code, e.g. "de"; without one it is found out. */
  language?: string;
  /** Written in English, whatever is spoken. */
  isTranslated?: boolean;
  /** A text that the recording could be the continuation of: its spelling and style are taken up. */
  prompt?: string;
  /** Names and terms that may come, as they are to be spelled. */
  keywords?: readonly string[];
};

/** What is said or sung, and when. */
export type TextTarget = TargetOf<"text"> &
  HearingWishes & {
    /** The room subtitles have. */
    cueLimits?: Partial<CueLimits>;
    /** A text to be timed, as the client gave it; without one the recording is written down. */
    transcriptPath?: string;
    /** Label the words by speaker; a number if it is known how many people speak. */
    speakers?: true | number;
    /** Subtitles and plain text name them. */
    hasSpeakerNames?: boolean;
    files: { format: TextFormat; path: string }[];
  };

export type DetectionFormat = "json" | "txt";

/** Where there is music. */
export type DetectionTarget = TargetOf<"detection"> & { files: { format: DetectionFormat; path: string }[] };

export type EngineTarget = SoundTarget | VoicesTarget | TextTarget | DetectionTarget;

/** All that is wanted of one input. */
export type EngineRequest = {
  inputPath: string;
  /** Holds the decoded input and what is finished of each pass; the same folder on a second run continues the first. */
  workDir: string;
  targets: EngineTarget[];
  maxDurationSeconds?: number;
  /** Of the input as raw float. */
  maxDecodedBytes?: number;
  /** Of the decoded input and the stems together, as stored in the work folder. */
  maxWorkBytes?: number;
  /** The owner under whom finished stems are cached; without one the cache is not used. */
  cacheUser?: CacheUser;
  /** Without it there are no previews. */
  previews?: PreviewRequest;
  /** Longer inputs are cut into spans if other workers can share them; 0 is never. */
  spansFromSeconds?: number;
};

export type TargetResult = {
  durationSeconds: number;
  /** Samples cut off at full scale, by the path of the file; only those that have any. */
  clippedSamples?: Record<string, number>;
  /** How many voices a target for voices has. */
  voiceCount?: number;
};

export type EngineReport = {
  /** Called with the targets that have advanced. */
  onProgress?: (progress: readonly TargetProgress[]) => void;
  onTargetDone?: (key: string, result: TargetResult) => void | Promise<void>;
  onTargetFailed?: (key: string, error: EngineError) => void | Promise<void>;
  /** Called as previews are written; those of a target, and of the input, before the target is done. */
  onPreview?: (news: PreviewNews) => void;
};
