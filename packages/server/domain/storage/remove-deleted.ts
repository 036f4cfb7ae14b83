import { Refusal } from "../refusal.ts";
import { within } from "../within.ts";

/** As long as a client can be expected to wait; a hanging store takes longer. */
const LIMIT_MS = 10_000;

/** Removes the files of something already deleted while the client waits. The sweeper retries what fails here. */
export async function removeDeleted(removals: Promise<void>[]): Promise<void> {
  try {
    await within(LIMIT_MS, Promise.all(removals));
  } catch (cause) {
    const error = new Refusal(
      "UNAVAILABLE",
      "It is deleted, but its files could not be removed yet. Send the request again, or leave it: they will be removed",
    );
    error.cause = cause;
    throw error;
  }
}
