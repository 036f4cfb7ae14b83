import type { PreviewTrack, TaskPreviews } from "@stemwright/contract";
import { findCatalogueModel } from "../models/catalogue.ts";
import type { InstalledModel } from "../models/model-view.ts";
import { toOutputNames, toVoiceNames } from "../tasks/output-names.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import { chooseMix, listSharing, type TrackSound } from "./choose-mix.ts";
import { countChunks, mayHavePreviews, type PreviewRecord } from "./preview-record.ts";

type Track = Omit<PreviewTrack, "chunks">;

const INPUT = "input";

/** The input and all outputs of the Task; none for a failed target. */
export function listTracks(task: TaskRecord, record: PreviewRecord): PreviewTrack[] {
  const given = task.targets
    .filter(({ status }) => status !== "error")
    .flatMap((target) => listTargetTracks(target, record));
  return [{ id: INPUT, name: INPUT }, ...given].map((track) => ({
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

/** Voices share nothing with one another; a residual is the whole without its target. */
function listSounds(
  task: TaskRecord,
  tracks: readonly PreviewTrack[],
  installed: readonly InstalledModel[],
): TrackSound[] {
  return tracks.flatMap(({ id, targetId }) => {
    if (targetId === undefined) return [];
    const model = task.targets.find((target) => target.id === targetId)?.model;
    const residual = `${targetId}-residual`;
    const ofTarget = tracks.filter((track) => track.targetId === targetId && track.id !== residual);
    const sound = installed.find((each) => each.id === model)?.sound ?? {
      parts: ofTarget.map((track) => track.id),
      // Until the voices are known, the residual is no whole.
      whole: [...(ofTarget.length > 0 ? ofTarget.map((track) => track.id) : [targetId]), residual],
    };
    if (id === residual)
      return [{ id, parts: sound.whole.filter((part) => !sound.parts.includes(part)), whole: sound.whole }];
    return [{ id, ...sound, ...(sound.parts.includes(id) ? { parts: [id] } : {}) }];
  });
}

/** What a player starts with, and what the other tracks have in common with it. */
function toMix(task: TaskRecord, tracks: readonly PreviewTrack[], installed: readonly InstalledModel[]) {
  const sounds = listSounds(task, tracks, installed);
  const mix = sounds.length === 0 ? { tracks: [INPUT], isWhole: true } : chooseMix(sounds);
  const playing = sounds.filter(({ id }) => mix.tracks.includes(id));
  const within = new Map(
    sounds.filter(({ id }) => !mix.tracks.includes(id)).map((each) => [each.id, listSharing(each, playing)]),
  );
  const toTrack = (track: PreviewTrack): PreviewTrack => {
    const sharing = within.get(track.id);
    return sharing === undefined ? track : { ...track, within: sharing };
  };
  return { mix, tracks: tracks.map(toTrack) };
}

export function toTaskPreviews(
  task: TaskRecord,
  record: PreviewRecord | undefined,
  installed: readonly InstalledModel[],
): TaskPreviews {
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
    ...toMix(task, tracks, installed),
  };
}
