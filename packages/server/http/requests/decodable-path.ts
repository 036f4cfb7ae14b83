/** A URL whose path can't be decoded, with its percent signs taken as they are: it leads to nothing, as any unknown one. */
export function toDecodablePath(url: string): string {
  if (!url.includes("%")) return url;
  const queryAt = url.indexOf("?");
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll("%", "%25") + url.slice(path.length);
  }
}
