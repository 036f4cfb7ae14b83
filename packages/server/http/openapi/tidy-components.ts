type Document = { paths?: unknown; components?: { schemas?: Record<string, unknown> } };

const INPUT_SUFFIX = "Input";
const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
const listReferences = (value: unknown) =>
  [...JSON.stringify(value ?? {}).matchAll(REFERENCE)].map(([, name]) => name ?? "");

/**
 * The generator makes two components of every schema, for input and for output. This drops those that nothing refers to, and gives a
 * schema that is only ever input its plain name back.
 */
export function tidyComponents<Given extends Document>(document: Given): Given {
  const schemas = document.components?.schemas ?? {};
  const used = new Set<string>();
  const pending = listReferences(document.paths);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    pending.push(...listReferences(schemas[name]));
  }
  const plainName = (name: string) => {
    const plain = name.endsWith(INPUT_SUFFIX) ? name.slice(0, -INPUT_SUFFIX.length) : name;
    return plain in schemas && !used.has(plain) ? plain : name;
  };
  const kept = Object.fromEntries([...used].sort().map((name) => [plainName(name), schemas[name]]));
  const tidied = { ...document, components: { ...document.components, schemas: kept } };
  return JSON.parse(
    JSON.stringify(tidied).replaceAll(
      REFERENCE,
      (_, name: string) => `"#/components/schemas/${plainName(name)}"`,
    ),
  ) as Given;
}
