import { findCatalogueModel } from "../models/catalogue.ts";
import type { NewTarget } from "./task-record.ts";

/**
 * The file names of a target, without extension: the stem's, and the residual's where it was asked for. Only sound leaves one: nothing
 * remains of a recording when its words are written down.
 */
export function toOutputNames(
  target: Pick<NewTarget, "model" | "variant" | "residual">,
): { output: "stem" | "residual"; name: string }[] {
  const name = target.variant === undefined ? target.model : `${target.model}_${target.variant}`;
  const stem = { output: "stem" as const, name };
  const hasResidual = target.residual && findCatalogueModel(target.model)?.produces === "sound";
  return hasResidual ? [stem, { output: "residual", name: `${name}_residual` }] : [stem];
}

/** All that is stored of a Task's outputs. */
export const toOutputFolder = (taskId: string) => `outputs/${taskId}`;

/** A text target's words, where json was not among its formats. */
export const WORDS_FILE = { name: "words", format: "json" } as const;

export const toWordsKey = (taskId: string, targetId: string) =>
  `${toOutputFolder(taskId)}/${targetId}/${WORDS_FILE.name}.${WORDS_FILE.format}`;
