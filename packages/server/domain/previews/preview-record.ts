import { toOutputFolder } from "../tasks/output-names.ts";
import type { TaskRecord } from "../tasks/task-record.ts";

/** What all previews of a Task have in common; lengths in frames. */
export type PreviewShape = {
  sampleRateHz: number;
  channels: number;
  lengthFrames: number;
  chunkFrames: number;
  /** Frames for each pair of peaks, from the finest level to the coarsest. */
  peakLevels: number[];
  /** So many of the coarsest levels are in the overview of a track, the others in pages of so many chunks. */
  overviewLevels: number;
  pageChunks: number;
  /** Absent in previews that a release without spectrograms made. */
  spectrum?: { levels: number[]; overviewLevels: number; bands: number; floorDb: number };
};

/** How much of a Task's previews is stored. */
export type PreviewRecord = {
  version: string;
  shape: PreviewShape;
  /** Stored chunks by track. */
  chunks: Record<string, number>;
  /** What the chunks take; what is drawn of them, some fortieth of it, is not counted. */
  sizeBytes: number;
};

/** Where outputs go to a customer's bucket nothing of them is kept here; nobody can open a Task that goes with its request. */
export const mayHavePreviews = ({ writeDestination, isTemporary }: TaskRecord) =>
  writeDestination === undefined && !isTemporary;

export interface PreviewStore {
  findPreviews(taskId: string): Promise<PreviewRecord | undefined>;
}

/** All that is stored of a Task's previews: within its outputs, so that it goes with them. */
export const toPreviewFolder = (taskId: string) => `${toOutputFolder(taskId)}/previews`;

/** What room is set aside under for previews on their way. */
export const toPreviewHoldId = (taskId: string) => `${taskId}-previews`;

export const toPreviewKey = (taskId: string, { version }: Pick<PreviewRecord, "version">, name: string) =>
  `${toPreviewFolder(taskId)}/${version}/${name}`;

export const countChunks = ({ lengthFrames, chunkFrames }: PreviewShape) =>
  Math.ceil(lengthFrames / chunkFrames);
