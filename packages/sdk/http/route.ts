/**
 * A path with its parts escaped: route`/tasks/${id}/cancel`. An empty part would be another route, and dots would climb
 * to one.
 */
export function route(texts: TemplateStringsArray, ...parts: string[]): string {
  return parts.reduce((path, part, index) => {
    if (!part || part === "." || part === "..") throw new TypeError(`Not an id: ${JSON.stringify(part)}`);
    return path + encodeURIComponent(part) + texts[index + 1];
  }, texts[0] ?? "");
}
