import type { PreviewTrack, TaskPreviews } from "@stemwright/contract";
import { findCatalogueModel } from "../models/catalogue.ts";
import { toOutputNames, toVoiceNames } from "../tasks/output-names.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import { countChunks, mayHavePreviews, type PreviewRecord } from "./preview-record.ts";

type Track = Omit<PreviewTrack, "chunks">;

/** The input and all outputs of the Task; none for a failed target. */
export function listTracks(task: TaskRecord, record: PreviewRecord): PreviewTrack[] {
  const given = task.targets
    .filter(({ status }) => status !== "error")
    .flatMap((target) => listTargetTracks(target, record));
  return [{ id: "input", name: "input" }, ...given].map((track) => ({
    ...track,
    chunks: record.chunks[track.id] ?? 0,
  }));
}

function listTargetTracks(target: TargetRecord, record: PreviewRecord): Track[] {
  const produces = findCatalogueModel(target.model)?.produces;
  if (produces !== "sound" && produces !== "voices") return [];
  const targetId = target.id;
  const [stem, residual] = toOutputNames(target).map(({ name }) => name);
  return [
    ...(produces === "voices"
      ? listVoiceTracks(target, record)
      : [{ id: targetId, name: stem ?? "", targetId }]),
    ...(residual === undefined ? [] : [{ id: `${targetId}-residual`, name: residual, targetId }]),
  ];
}

/** The number of voices is known when the first chunk of each is stored. */
function listVoiceTracks(target: TargetRecord, { chunks }: PreviewRecord): Track[] {
  const ids = Object.keys(chunks)
    .filter((id) => id.startsWith(`${target.id}-voice-`))
    .sort();
  const names = toVoiceNames(target, ids.length);
  return ids.map((id, index) => ({ id, name: names[index] ?? id, targetId: target.id }));
}

const isWaitingForVoices = (task: TaskRecord, tracks: readonly PreviewTrack[]) =>
  task.targets.some(
    ({ id, model, status }) =>
      findCatalogueModel(model)?.produces === "voices" &&
      status === "processing" &&
      !tracks.some((track) => track.id.startsWith(`${id}-voice-`)),
  );

const toSpectrum = ({ levels, bands, floorDb }: PreviewRecord["shape"]["spectrum"]) => ({
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
  const isComplete =
    tracks.every(({ chunks }) => chunks === countChunks(shape)) && !isWaitingForVoices(task, tracks);
  return {
    status: isComplete ? "complete" : isUnfinished ? "growing" : "partial",
    version,
    sampleRate: shape.sampleRateHz,
    channels: shape.channels,
    frames: shape.lengthFrames,
    chunkFrames: shape.chunkFrames,
    peakLevels: shape.peakLevels,
    spectrum: toSpectrum(shape.spectrum),
    tracks,
  };
}
