import { findCatalogueModel } from "../models/catalogue.ts";
import { countLeadSeconds } from "../tasks/audio-offset.ts";
import { toOutputNames } from "../tasks/output-names.ts";
import type { OutputRecord, TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import { chooseBesideRest, chooseFullest, isWholeRecording, STANDARD_MODELS } from "./sound-parts.ts";

/** Which stored files become the tracks of a `.stem.mp4`. */
export type StemFilePlan = {
  /** The recording; if it is no longer stored, the stems are summed. */
  mixKey?: string;
  /** `leadSeconds` of silence precede what is in the recording. */
  stems: { name: string; blobKey: string; leadSeconds: number }[];
};

/** An hour of raw float is more than a gigabyte for each of five tracks, and DJs play songs. */
export const MAX_STEM_FILE_SECONDS = 1800;
/** Fixed by the format. */
const MAX_STEMS = 4;
/** In order of preference: lossless first. */
const FORMATS = ["wav", "flac", "aiff", "m4a", "mp4", "opus", "mp3", "aac"];

const findBest = (outputs: readonly OutputRecord[], name: string) =>
  outputs
    .filter((output) => output.name === name && FORMATS.includes(output.format))
    .toSorted((a, b) => FORMATS.indexOf(a.format) - FORMATS.indexOf(b.format))[0];

type Sound = { model: string; stem: OutputRecord; residual: OutputRecord | undefined; leadSeconds: number };

function listSounds({ targets }: Pick<TaskRecord, "targets">): Sound[] {
  const sounds = targets.filter(isShortSound).flatMap((target) => {
    const names = toOutputNames({ ...target, residual: true });
    const find = (kind: "stem" | "residual") =>
      findBest(target.output, names.find(({ output }) => output === kind)?.name ?? "");
    const stem = find("stem");
    const leadSeconds = countLeadSeconds(target);
    return stem ? [{ model: target.model, stem, residual: find("residual"), leadSeconds }] : [];
  });
  return sounds.filter(({ model }, index) => sounds.findIndex((other) => other.model === model) === index);
}

const isShortSound = ({ model, status, durationSeconds = 0 }: TargetRecord) =>
  status === "completed" &&
  findCatalogueModel(model)?.produces === "sound" &&
  durationSeconds <= MAX_STEM_FILE_SECONDS;

/** The stems of these models, in the order of tracks. */
function pickStems(sounds: readonly Sound[], models: readonly string[]): Sound[] {
  const place = ({ model }: Sound) =>
    STANDARD_MODELS.includes(model) ? STANDARD_MODELS.indexOf(model) : STANDARD_MODELS.length;
  return sounds.filter(({ model }) => models.includes(model)).toSorted((a, b) => place(a) - place(b));
}

/** All of them if they fit and no track is needed for the rest of the recording, which is the recording minus the first three. */
function takeFitting(sounds: readonly Sound[]): readonly Sound[] {
  const isFitting = sounds.length <= MAX_STEMS && isWholeRecording(sounds.map(({ model }) => model));
  return isFitting ? sounds : sounds.slice(0, MAX_STEMS - 1);
}

const toName = (model: string) => model[0]?.toUpperCase() + model.slice(1).replaceAll("_", " ");

/** Undefined if no stem file can be made from the Task. */
export function planStemFile(
  task: Pick<TaskRecord, "targets">,
  mixKey: string | undefined,
): StemFilePlan | undefined {
  const sounds = listSounds(task);
  const models = sounds.map(({ model }) => model);
  const toStem = ({ model, stem, leadSeconds }: Sound) => ({
    name: toName(model),
    blobKey: stem.blobKey,
    leadSeconds,
  });
  if (mixKey !== undefined && sounds.length > 0)
    return { mixKey, stems: takeFitting(pickStems(sounds, chooseBesideRest(models))).map(toStem) };
  const whole = sounds.find(({ residual }) => residual !== undefined);
  if (whole?.residual) {
    const rest = { ...toStem(whole), name: "Rest", blobKey: whole.residual.blobKey };
    return { stems: [toStem(whole), rest] };
  }
  const stems = pickStems(sounds, chooseFullest(models, MAX_STEMS));
  return stems.length > 0 ? { stems: stems.map(toStem) } : undefined;
}
