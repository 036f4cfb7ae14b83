import { isId } from "./ids.ts";
import { Refusal } from "./refusal.ts";

/** What a store found under an id, or the answer to an id that there is nothing under; what is no id is not looked for. */
export async function getFound<Found>(
  id: string,
  find: (id: string) => Promise<Found | false | undefined>,
  makeError: () => Refusal,
): Promise<Found> {
  const found = isId(id) ? await find(id) : undefined;
  if (!found) throw makeError();
  return found;
}

export const makeUnknownError = (what: string) => () =>
  new Refusal("NOT_FOUND", `The account has no ${what} with that id`);
