import { isId } from "./ids.ts";
import { Refusal } from "./refusal.ts";

/** What a store finds for an id; throws if there is nothing. Invalid ids are not looked up. */
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
