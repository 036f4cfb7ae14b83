import {
  MAX_PROMPT_CHARACTERS,
  type TargetInput,
  type TargetRequest,
  targetRequest,
} from "@stemwright/contract";
import { toRequestError } from "../http/errors/error-mapper.ts";

/** Whisper uses the end of a prompt that is too long. */
export const toPrompt = (text: string | undefined) =>
  text === undefined || text === "" ? {} : { prompt: text.slice(-MAX_PROMPT_CHARACTERS).toWellFormed() };

/** Options of another interface, validated like any target's. */
export function parseTarget(options: TargetInput): TargetRequest {
  const result = targetRequest.safeParse(options);
  if (!result.success) throw toRequestError(result.error.issues);
  return result.data;
}
