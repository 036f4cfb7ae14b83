import { ApiError, ConnectionError, TimeoutError } from "@stemwright/sdk";

/** What went wrong, in sentences for the user. */
export function describeError(error: unknown): string {
  if (error instanceof TimeoutError) return "The service did not answer in time. Try again in a moment.";
  if (error instanceof ConnectionError)
    return "The service could not be reached. Check that it is running and that you are connected.";
  if (error instanceof ApiError) {
    const details = error.details.map(({ path, message }) => `${path}: ${message}`);
    return [toSentence(error.message), ...details].join(" ");
  }
  return toSentence(error instanceof Error ? error.message : String(error));
}

const toSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
