import { findCatalogueModel, isSound } from "../models/catalogue.ts";
import type { NewTarget } from "./task-record.ts";

/**
 * The file names of a target, without extension: the stem's, and the residual's if requested. Only audio has a residual: nothing remains when words are
 * transcribed. For voices, the stem is the file that says who speaks when; their number is known only when they are made.
 */
export function toOutputNames(
  target: Pick<NewTarget, "model" | "variant" | "residual">,
): { output: "stem" | "residual"; name: string }[] {
  const model = findCatalogueModel(target.model);
  const plain = target.variant === undefined ? target.model : `${target.model}_${target.variant}`;
  const name = model?.produces === "voices" ? toVoicePrefix(target) : plain;
  const stem = { output: "stem" as const, name };
  const hasResidual = target.residual && model !== undefined && isSound(model);
  return hasResidual ? [stem, { output: "residual", name: `${name}_residual` }] : [stem];
}

/** The formats of a target's sounds. Of voices, json is a file beside them that says who speaks when. */
export const toSoundFormats = ({ formats }: Pick<NewTarget, "formats">) =>
  formats.filter((format) => format !== "json");

/** Prefix of voice files. */
export function toVoicePrefix({ variant }: Pick<NewTarget, "variant">): string {
  return variant === undefined ? "voice" : `voice_${variant}`;
}

/** The names of voices, numbered from 1. */
export function toVoiceNames(target: Pick<NewTarget, "variant">, voiceCount: number): string[] {
  const prefix = toVoicePrefix(target);
  return Array.from({ length: voiceCount }, (_, index) => `${prefix}_${String(index + 1).padStart(2, "0")}`);
}

/** Folder of a Task's outputs. */
export const toOutputFolder = (taskId: string) => `outputs/${taskId}`;

/** A text target's words, stored if json is not among its formats. */
export const WORDS_FILE = { name: "words", format: "json" } as const;

export const toWordsKey = (taskId: string, targetId: string) =>
  `${toOutputFolder(taskId)}/${targetId}/${WORDS_FILE.name}.${WORDS_FILE.format}`;
