import type { UrlRules } from "./ports.ts";
import { refuseField } from "./refuse-field.ts";

export function isWebUrl(url: string): boolean {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  return protocol === "https:" || protocol === "http:";
}

/** Holds a web address we are to open against what its text tells; what it resolves to is judged when it is opened. */
export function checkWebUrl(urls: UrlRules, url: string, path: string): void {
  const message = "must be an https:// address";
  if (!isWebUrl(url)) refuseField("URL_INVALID", { path, message }, `${path} ${message}`);
  urls.check(url);
}
