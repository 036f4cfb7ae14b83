import type { LegacyJobMetadata, TargetStatus } from "@stemwright/contract";
import type { TaskSource } from "./task-source.ts";

export type OutputRecord = {
  name: string;
  format: string;
  blobKey: string;
  sizeBytes: number;
  /** Samples that were cut off at full scale, where there are any. */
  clippedSamples?: number;
};

/** The fields of a target that a client may leave out; they are echoed only where supplied. */
export type TargetWishes = {
  residual?: boolean;
  variant?: string;
  language?: string;
  transcriptUrl?: string;
  transcriptAssetId?: string;
  speakers?: boolean | number;
  speakerNames?: boolean;
  bitDepth?: 16 | 24 | 32;
  translate?: boolean;
  prompt?: string;
  keywords?: string[];
  maxLineLength?: number;
  maxLines?: number;
};

export const TARGET_WISHES = [
  "residual",
  "variant",
  "language",
  "transcriptUrl",
  "transcriptAssetId",
  "speakers",
  "speakerNames",
  "bitDepth",
  "translate",
  "prompt",
  "keywords",
  "maxLineLength",
  "maxLines",
] as const satisfies (keyof TargetWishes)[];

export type NewTarget = TargetWishes & {
  id: string;
  model: string;
  formats: string[];
  /** The rate as agreed when the Task was created; later changes do not touch it. */
  creditsPerMinute: number;
};

export type TargetRecord = NewTarget & {
  status: TargetStatus;
  progress: number;
  /** When the work will be through, if it goes on as it went; absent before it has come any way. */
  expectedAt?: Date;
  output: OutputRecord[];
  cost?: number;
  durationSeconds?: number;
  error?: { code: number; message: string };
};

/** What a job of the Jobs interface has beside its Task. */
export type LegacyJobPart = { requestId: string; callbackUrl?: string; metadata: LegacyJobMetadata };

export type NewTask = {
  id: string;
  clientId: string;
  createdAt: Date;
  assetId?: string;
  url?: string;
  storageIntegrationId?: string;
  writeDestination?: string;
  webhookUrl?: string;
  metadata?: string;
  /** 0 to 9, the higher the sooner among the client's own; absent counts as 5. */
  priority?: number;
  /** The length of the input, where it is known. */
  audioSeconds?: number;
  /** Not for the lane that is kept free for short Tasks. */
  isLong?: boolean;
  legacyJob?: LegacyJobPart;
  /** It belongs to a waiting request: it has no webhook and is deleted with the request. */
  isTemporary?: boolean;
  sources?: TaskSource[];
  targets: NewTarget[];
};

export type TaskRecord = Omit<NewTask, "targets" | "legacyJob" | "sources" | "isLong"> & {
  completedAt: Date | null;
  /** A worker is at it now; otherwise it waits or is finished. */
  isRunning: boolean;
  /** Of the run that was at it last. */
  runToken?: string;
  /** Where the last worker left what it had, for another machine. */
  checkpointKey?: string;
  /** 1 for the next one to be taken; absent once the Task runs or is finished. */
  queuePosition?: number;
  targets: TargetRecord[];
};

/** How far an unfinished target is, and how long the rest of it takes where that is known. */
export type TargetAdvance = { targetId: string; progress: number; secondsLeft?: number | undefined };

export type TargetEnd =
  | { status: "completed"; durationSeconds: number; output: OutputRecord[] }
  | { status: "error"; error: { code: number; message: string } };
