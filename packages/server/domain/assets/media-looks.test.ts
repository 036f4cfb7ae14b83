import { expect, it } from "vitest";
import { toCustomerBlobKey } from "../storage/customer-object.ts";
import type { MediaFacts } from "./asset-record.ts";
import { limitLooks } from "./media-looks.ts";

const facts: MediaFacts = { isReadable: false, reason: "unreadable", message: "" };

/** Files in buckets take until `release`; others are known at once. */
function makeLooker() {
  const begun: string[] = [];
  const held = Promise.withResolvers<MediaFacts>();
  const look = async (blobKey: string) => {
    begun.push(blobKey);
    return blobKey.startsWith("assets/") ? facts : await held.promise;
  };
  return { begun, look, findOutputFault: () => undefined, release: () => held.resolve(facts) };
}

it("[E10] copying from a client's bucket delays neither other files nor all other buckets", async () => {
  const looker = makeLooker();
  const { look } = limitLooks(looker, 2);
  const slow = ["one", "one", "two"].map((id) => look(toCustomerBlobKey(id, "slow.wav")));
  expect(await look("assets/a/song.wav")).toBe(facts);
  const begun = [toCustomerBlobKey("one", "slow.wav"), toCustomerBlobKey("two", "slow.wav")];
  expect(looker.begun).toEqual([...begun, "assets/a/song.wav"]);
  looker.release();
  expect(await Promise.all(slow)).toEqual([facts, facts, facts]);
});
