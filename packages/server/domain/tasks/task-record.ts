import type { LegacyJobMetadata, TargetOptions, TargetStatus } from "@stemwright/contract";
import type { TaskSource } from "./task-source.ts";

export type OutputRecord = {
  name: string;
  format: string;
  blobKey: string;
  sizeBytes: number;
  /** Number of clipped samples, if any. */
  clippedSamples?: number;
};

export type NewTarget = TargetOptions & {
  id: string;
  model: string;
  formats: string[];
  /** The rate agreed when the Task was created; later changes do not affect it. */
  creditsPerMinute: number;
};

export type TargetRecord = NewTarget & {
  status: TargetStatus;
  progress: number;
  /** Expected end at the current pace; absent until a pace is known. */
  expectedAt?: Date;
  output: OutputRecord[];
  cost?: number;
  durationSeconds?: number;
  /** For inputs with a picture: how long after the start of the file their audio begins. */
  audioOffsetSeconds?: number;
  error?: { code: number; message: string };
};

/** The extra fields of a legacy job. */
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
  /** 0 to 9, higher first among the client's own; absent counts as 5. */
  priority?: number;
  /** The length of the input, if known. */
  audioSeconds?: number;
  /** Not for the short lane. */
  isLong?: boolean;
  legacyJob?: LegacyJobPart;
  /** It belongs to a waiting request: it has no webhook and is deleted with the request. */
  isTemporary?: boolean;
  sources?: TaskSource[];
  targets: NewTarget[];
};

export type TaskRecord = Omit<NewTask, "targets" | "legacyJob" | "sources" | "isLong"> & {
  completedAt: Date | null;
  /** Whether a worker has it now; otherwise it waits or is finished. */
  isRunning: boolean;
  /** Of the latest run. */
  runToken?: string;
  /** Where the last worker stored its checkpoint, for another machine. */
  checkpointKey?: string;
  /** Disk space it needs as far as a full disk has taught us. */
  roomNeededBytes?: number;
  /** 1 for the next one to be claimed; absent once the Task runs or is finished. */
  queuePosition?: number;
  targets: TargetRecord[];
};

/** Progress of an unfinished target, and the remaining time if known. */
export type TargetAdvance = { targetId: string; progress: number; secondsLeft?: number | undefined };

export type TargetEnd =
  | {
      status: "completed";
      durationSeconds: number;
      audioOffsetSeconds?: number;
      output: OutputRecord[];
    }
  | { status: "error"; error: { code: number; message: string } };
