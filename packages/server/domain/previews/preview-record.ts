import { toOutputFolder } from "../tasks/output-names.ts";
import type { TaskRecord } from "../tasks/task-record.ts";

/** Common to all previews of a Task; lengths in frames. */
export type PreviewShape = {
  sampleRateHz: number;
  channels: number;
  lengthFrames: number;
  chunkFrames: number;
  /** Frames per pair of peaks, from the finest level to the coarsest. */
  peakLevels: number[];
  /** The number of coarsest levels that are in a track's overview; the others are in pages of this many chunks. */
  overviewLevels: number;
  pageChunks: number;
  spectrum: { levels: number[]; overviewLevels: number; bands: number; floorDb: number };
};

/** How much of a Task's previews is stored. */
export type PreviewRecord = {
  version: string;
  shape: PreviewShape;
  /** Stored chunks by track. */
  chunks: Record<string, number>;
  /** Total size of the chunks; their drawing data, about a fortieth, is not counted. */
  sizeBytes: number;
};

/** None for outputs in a customer's bucket, of which we store nothing, nor for temporary Tasks, which nobody can open. */
export const mayHavePreviews = ({ writeDestination, isTemporary }: TaskRecord) =>
  writeDestination === undefined && !isTemporary;

export interface PreviewStore {
  findPreviews(taskId: string): Promise<PreviewRecord | undefined>;
}

/** Folder of a Task's previews: inside its outputs, so that they are deleted together. */
export const toPreviewFolder = (taskId: string) => `${toOutputFolder(taskId)}/previews`;

/** Id of the storage hold for previews in progress. */
export const toPreviewHoldId = (taskId: string) => `${taskId}-previews`;

export const toPreviewKey = (taskId: string, { version }: Pick<PreviewRecord, "version">, name: string) =>
  `${toPreviewFolder(taskId)}/${version}/${name}`;

export const countChunks = ({ lengthFrames, chunkFrames }: PreviewShape) =>
  Math.ceil(lengthFrames / chunkFrames);
