import { ApiError } from "@stemwright/contract";
import type { UrlRules } from "./ports.ts";

/** Holds a web address we are to open against what its text tells; what it resolves to is judged when it is opened. */
export function checkWebUrl(urls: UrlRules, url: string, path: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== "https:" && protocol !== "http:") {
    throw new ApiError("URL_INVALID", `${path} must be an https:// address`, [
      { path, message: "must be an https:// address" },
    ]);
  }
  urls.check(url);
}
