import { signal } from "@preact/signals";

/** The current address, relative to the service's own: `app/tasks/ID`, without slashes at the ends. */
export type Address = { path: string; query: URLSearchParams; hash: string };

const basePath = () => new URL(document.baseURI).pathname;

function readAddress(): Address {
  const { pathname, search, hash } = window.location;
  const path = pathname.slice(basePath().length).replace(/^\/+|\/+$/g, "");
  return { path, query: new URLSearchParams(search), hash: hash.slice(1) };
}

export const address = signal(readAddress());

/** Goes to an address such as `app/tasks?status=error`. */
export function navigate(to: string, options: { replaces?: boolean } = {}): void {
  const url = basePath() + to;
  if (options.replaces) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  address.value = readAddress();
  if (!options.replaces) window.scrollTo(0, 0);
}

/** Changes only the query, in place: a page's state belongs into its address, not into the history. */
export function replaceQuery(query: URLSearchParams): void {
  const text = query.toString();
  navigate(`${address.value.path}${text === "" ? "" : `?${text}`}`, { replaces: true });
}

/** Clicks on links to our own pages change the address without reloading. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest?.("a[href]") as HTMLAnchorElement | null;
  if (link?.target !== "" || link.hasAttribute("download")) return;
  const start = new URL("app", document.baseURI).href;
  if (!link.href.startsWith(start)) return;
  event.preventDefault();
  navigate(link.href.slice(new URL(".", document.baseURI).href.length));
}

export function startRouter(): void {
  window.addEventListener("popstate", () => {
    address.value = readAddress();
  });
  document.addEventListener("click", followLink);
}

/** The parameters of a path that matches the pattern: `app/tasks/:id`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, word] of wanted.entries()) {
    const value = given[index] ?? "";
    if (word.startsWith(":") && value !== "") params[word.slice(1)] = decodeURIComponent(value);
    else if (word !== value) return undefined;
  }
  return params;
}
