/**
 * A download link of this service, by the address that the page itself was opened at: links name the service's public
 * address, and a page may have come by another, such as the one in the local network. Links into buckets stay.
 */
export function toOwnLink(link: string, base: string = document.baseURI): string {
  const at = link.search(/\/(files|exports)\//);
  const isOurs = at >= 0 && /[?&]Signature=[0-9a-f]{64}\b/.test(link);
  return isOurs ? new URL(link.slice(at + 1), base).href : link;
}

/** Whether a page may open the link itself, to play or show what is there; into a bucket it may only lead. */
export const isOwnLink = (link: string, base: string = document.baseURI) => link.startsWith(base);
