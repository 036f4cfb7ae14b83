import type { Links } from "../domain/links.ts";
import type { UrlRules } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { type AddressGuard, AddressRefused } from "./address-guard.ts";

/** Which addresses a client may give us to read from. */
export function makeUrlRules(links: Links, guard: AddressGuard): UrlRules {
  return {
    findStored: (url) => links.findBlobKey(url),
    check(url) {
      // Our own links are read from the store, wherever the service listens.
      if (links.findBlobKey(url) !== undefined) return;
      try {
        guard.checkUrl(new URL(url));
      } catch (error) {
        throw error instanceof AddressRefused ? new Refusal("URL_NOT_ALLOWED", error.message) : error;
      }
    },
  };
}
