import type { Links } from "../domain/links.ts";
import type { UrlRules } from "../domain/ports.ts";
import { refuseField } from "../domain/refuse-field.ts";
import { type AddressGuard, AddressRefused } from "./address-guard.ts";

/** Which addresses a client may give us to read from. */
export function makeUrlRules(links: Links, guard: AddressGuard): UrlRules {
  return {
    findStored: (url) => links.findBlobKey(url),
    check(url, path) {
      // Our own links are read from the store, wherever the service listens.
      if (links.findBlobKey(url) !== undefined) return;
      try {
        guard.checkUrl(new URL(url));
      } catch (error) {
        if (!(error instanceof AddressRefused)) throw error;
        refuseField("URL_NOT_ALLOWED", { path, message: error.message });
      }
    },
  };
}
