/**
 * Builds a path with escaped parts: route`/tasks/${id}/cancel`. Empty parts and dot segments are rejected because they
 * would address a different route.
 */
export function route(texts: TemplateStringsArray, ...parts: string[]): string {
  return parts.reduce((path, part, index) => {
    if (!part || part === "." || part === "..") throw new TypeError(`Invalid id: ${JSON.stringify(part)}`);
    return path + encodeURIComponent(part) + texts[index + 1];
  }, texts[0] ?? "");
}
