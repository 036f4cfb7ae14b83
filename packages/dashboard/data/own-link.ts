/**
 * Rewrites the service's own download links to the address the page was opened at. Links carry PUBLIC_BASE_URL, which may
 * not be reachable from here, e.g. within a LAN. Links into buckets stay.
 */
export function toOwnLink(link: string, base: string = document.baseURI): string {
  const at = link.search(/\/(files|exports)\//);
  const isOurs = at >= 0 && /[?&]Signature=[0-9a-f]{64}\b/.test(link);
  return isOurs ? new URL(link.slice(at + 1), base).href : link;
}

/** Whether the page can fetch or play the link; the CSP allows only our own origin, not buckets. */
export const isOwnLink = (link: string, base: string = document.baseURI) => link.startsWith(base);
