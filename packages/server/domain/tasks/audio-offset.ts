import { findCatalogueModel } from "../models/catalogue.ts";
import type { TargetRecord } from "./task-record.ts";

/** Less is not worth telling: times are rounded to a millisecond. */
export const MIN_AUDIO_OFFSET_SECONDS = 0.001;

/** Whether times count from the start of the file, and sounds begin with silence until its audio starts. By default words and regions do. */
export function isOnFileTimeline({
  model,
  fileTimeline,
}: Pick<TargetRecord, "model" | "fileTimeline">): boolean {
  const produces = findCatalogueModel(model)?.produces;
  return fileTimeline ?? (produces === "text" || produces === "detection");
}

/** What the times and sounds of a target are later than the audio alone. */
export const countLeadSeconds = (
  target: Pick<TargetRecord, "model" | "fileTimeline" | "audioOffsetSeconds">,
): number => (isOnFileTimeline(target) ? (target.audioOffsetSeconds ?? 0) : 0);
