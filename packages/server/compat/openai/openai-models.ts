import type { OpenAiModel } from "@stemwright/contract";
import { ApiError } from "@stemwright/contract";

/** The model behind all names. */
export const SPEECH_MODEL = "transcription";

/** Names that clients use. */
const LISTED = [
  SPEECH_MODEL,
  "whisper-1",
  "gpt-transcribe",
  "gpt-4o-transcribe",
  "gpt-4o-mini-transcribe",
] as const;

/** Dated versions, and the sizes that other servers of this interface use: all mean speech to text. */
const OTHER_NAMES =
  /^(?:[\w.-]+\/)?(?:(?:faster-)?(?:distil-)?whisper-[\w.-]+|gpt-4o-(?:mini-)?transcribe-\d{4}-\d\d-\d\d)$/;

const isKnown = (name: string) => LISTED.some((listed) => listed === name) || OTHER_NAMES.test(name);

const toModel = (id: string): OpenAiModel => ({
  id,
  object: "model",
  // The day of the first release; clients only sort by it.
  created: 1_767_225_600,
  owned_by: "stemwright",
});

export const listOpenAiModels = (): OpenAiModel[] => LISTED.map(toModel);

/** The model for a name; throws if it is none of ours. */
export function getOpenAiModel(name: string): OpenAiModel {
  if (isKnown(name)) return toModel(name);
  const message = `The model "${name}" does not exist here. Must be one of ${LISTED.join(", ")}`;
  throw new ApiError("NOT_FOUND", message, [{ path: "model", message }]);
}
