import type { UrlRules } from "./ports.ts";
import { refuseField } from "./refuse-field.ts";

export function isWebUrl(url: string): boolean {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  return protocol === "https:" || protocol === "http:";
}

/** Checks a web address by its text; the address it resolves to is checked when it is opened. */
export function checkWebUrl(urls: UrlRules, url: string, path: string): void {
  const message = "must be an https:// address";
  if (!isWebUrl(url)) refuseField("URL_INVALID", { path, message }, `${path} ${message}`);
  urls.check(url, path);
}
