/** Escapes the percent signs of a path that can't be decoded, so that it is a 404 like any unknown path. */
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
