import type { EngineError } from "../engine-error.ts";
import type { AudioFormat, WavBitDepth } from "../media/index.ts";
import type { PreviewNews, PreviewRequest } from "../previews/preview-writer.ts";
import type { TextFormat } from "../text/text-format.ts";
import type { TargetProgress } from "./stage-progress.ts";

export type TargetOf<Kind extends string> = {
  kind: Kind;
  key: string;
  /** A catalogue id, e.g. "vocals". */
  model: string;
  variant?: string;
  /** For inputs with a picture: whether times count from the start of the file, and sounds begin with silence until their audio starts. */
  isOnFileTimeline?: boolean;
};

/** What a file contains; voices are numbered from 1. */
export type SoundOutput = "stem" | "residual" | `voice ${number}`;

export type SoundFile = {
  output: SoundOutput;
  format: AudioFormat;
  path: string;
  wavBitDepth?: WavBitDepth;
};

/** A part of the sound. */
export type SoundTarget = TargetOf<"sound"> & {
  files: SoundFile[];
  /** By its id; the model is then one that it serves, or the name of a stem. */
  network?: string;
};

/** Each speaker's voice in `<prefix>_01.<format>` and so on, the residual in `<prefix>_residual.<format>`, who speaks when in `<prefix>.json`. */
export type VoicesTarget = TargetOf<"voices"> & {
  pathPrefix: string;
  formats: AudioFormat[];
  hasResidual: boolean;
  wavBitDepth?: WavBitDepth;
};

/** Options of a transcription; targets with the same ones share it. */
export type TranscriptionOptions = {
  /** The language's code, e.g. "de"; detected by default. */
  language?: string;
  /** Into English. */
  translate?: boolean;
  /** A text that the recording could continue: the transcript adopts its spelling and style. */
  prompt?: string;
  /** Names and terms that may occur, in the wanted spelling. */
  keywords?: readonly string[];
};

/** Spoken or sung words with their times. The options have the names they have in the interface. */
export type TextTarget = TargetOf<"text"> &
  TranscriptionOptions & {
    /** Letters of a subtitle's row. */
    maxLineLength?: number;
    /** Rows of a subtitle. */
    maxLines?: number;
    /** A text to align, as the client sent it; without one the recording is transcribed. */
    transcriptPath?: string;
    /** Label words by speaker; a number if it is known how many people speak. */
    speakers?: true | number;
    /** Whether subtitles and plain text name the speakers. */
    speakerNames?: boolean;
    files: { format: TextFormat; path: string }[];
  };

export type DetectionFormat = "json" | "txt";

/** The regions with music. */
export type DetectionTarget = TargetOf<"detection"> & { files: { format: DetectionFormat; path: string }[] };

/** `click` is a wav with a click on every beat. */
export type AnalysisFormat = "json" | "mid" | "click" | "lab" | "csv";

/** Beats, chords, keys and more of music. */
export type AnalysisTarget = TargetOf<"analysis"> & { files: { format: AnalysisFormat; path: string }[] };

export type EngineTarget = SoundTarget | VoicesTarget | TextTarget | DetectionTarget | AnalysisTarget;

/** Who keeps a stem. Only requests of the same scope find it; it is removed when it has no owner left. */
export type CacheUser = { scope: string; owner: string };

/** One input and all its targets. */
export type EngineRequest = {
  inputPath: string;
  /** Holds the decoded input and the spools of each pass; another run with the same folder resumes. */
  workDir: string;
  targets: EngineTarget[];
  maxDurationSeconds?: number;
  /** Limit of the input as raw float. */
  maxDecodedBytes?: number;
  /** Limit of the decoded input and the stems together, in the work folder. */
  maxWorkBytes?: number;
  /** The owner under whom finished stems are cached; without one the cache is not used. */
  cacheUser?: CacheUser;
  /** Without it there are no previews. */
  previews?: PreviewRequest;
  /** Longer inputs are split into spans if other workers can share them; 0 means never. */
  spansFromSeconds?: number;
};

export type TargetResult = {
  durationSeconds: number;
  /** For inputs with a picture: how long after the start of the file their audio begins. */
  audioStartSeconds?: number;
  /** Clipped samples, by the path of the file; only files that have any. */
  clippedSamples?: Record<string, number>;
  /** The number of voices of a voices target. */
  voiceCount?: number;
};

export type EngineReport = {
  /** Called with the targets that have advanced. */
  onProgress?: (progress: readonly TargetProgress[]) => void;
  onTargetDone?: (key: string, result: TargetResult) => void | Promise<void>;
  onTargetFailed?: (key: string, error: EngineError) => void | Promise<void>;
  /** Called as previews are written; for a target and the input, before the target is done. */
  onPreview?: (news: PreviewNews) => void;
};
