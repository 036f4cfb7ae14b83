import type { PreviewTrack, TaskPreviews } from "@stemwright/contract";
import { findCatalogueModel } from "../models/catalogue.ts";
import { toOutputNames } from "../tasks/output-names.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import { countChunks, mayHavePreviews, type PreviewRecord } from "./preview-record.ts";

const isSound = ({ model }: TargetRecord) => findCatalogueModel(model)?.produces === "sound";

/** The input and all that the Task gives of it; a target that failed gives nothing. */
export function listTracks(task: TaskRecord, record: PreviewRecord): PreviewTrack[] {
  const stems = task.targets
    .filter((target) => isSound(target) && target.status !== "error")
    .flatMap((target) =>
      toOutputNames(target).map(({ output, name }) => ({
        id: output === "stem" ? target.id : `${target.id}-residual`,
        name,
        targetId: target.id,
      })),
    );
  return [{ id: "input", name: "input" }, ...stems].map((track) => ({
    ...track,
    chunks: record.chunks[track.id] ?? 0,
  }));
}

const toSpectrum = ({ levels, bands, floorDb }: NonNullable<PreviewRecord["shape"]["spectrum"]>) => ({
  levels,
  bands,
  floorDb,
});

export function toTaskPreviews(task: TaskRecord, record: PreviewRecord | undefined): TaskPreviews {
  const isUnfinished = task.completedAt === null;
  if (!record) {
    const mayCome = isUnfinished && mayHavePreviews(task);
    return { status: mayCome ? "waiting" : "none", tracks: [] };
  }
  const { version, shape } = record;
  const tracks = listTracks(task, record);
  const isComplete = tracks.every(({ chunks }) => chunks === countChunks(shape));
  return {
    status: isComplete ? "complete" : isUnfinished ? "growing" : "partial",
    version,
    sampleRate: shape.sampleRateHz,
    channels: shape.channels,
    frames: shape.lengthFrames,
    chunkFrames: shape.chunkFrames,
    peakLevels: shape.peakLevels,
    ...(shape.spectrum && { spectrum: toSpectrum(shape.spectrum) }),
    tracks,
  };
}
