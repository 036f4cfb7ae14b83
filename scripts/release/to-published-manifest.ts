type Conditions = { [condition: string]: string | Conditions };
type Entries = Record<string, string | Conditions>;
export type PackageManifest = {
  name: string;
  version: string;
  private?: boolean;
  exports?: Entries;
  imports?: Entries;
  bin?: Record<string, string>;
  devDependencies?: Record<string, string>;
  engines?: Record<string, string>;
  [field: string]: unknown;
};

/** Packages that run on the SDK's Node version require no newer one. */
const DEFAULT_ENGINES = { node: ">=24" };

const isSource = (path: string) => path.endsWith(".ts");
const toScript = (path: string) => (isSource(path) ? path.replace(/\.ts$/, ".js") : path);
const toTypes = (path: string) => path.replace(/\.ts$/, ".d.ts");

/** An importable entry includes its types. */
function toExport(entry: string | Conditions): string | Conditions {
  if (typeof entry !== "string") return mapConditions(entry, toScript);
  return isSource(entry) ? { types: toTypes(entry), default: toScript(entry) } : entry;
}

function mapConditions(conditions: Conditions, change: (path: string) => string): Conditions {
  const entries = Object.entries(conditions).map(([name, value]) => [
    name,
    typeof value === "string" ? change(value) : mapConditions(value, change),
  ]);
  return Object.fromEntries(entries);
}

const mapEntries = (entries: Entries, change: (entry: string | Conditions) => string | Conditions): Entries =>
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, change(entry)]));

/** A workspace's package.json as published: JavaScript and types instead of TypeScript, without development fields. */
export function toPublishedManifest(source: PackageManifest, files: readonly string[]): PackageManifest {
  const { private: _, devDependencies: __, exports, imports, ...kept } = source;
  return {
    ...kept,
    ...(exports ? { exports: { ...mapEntries(exports, toExport), "./package.json": "./package.json" } } : {}),
    ...(imports
      ? {
          imports: mapEntries(imports, (entry) =>
            typeof entry === "string" ? toScript(entry) : mapConditions(entry, toScript),
          ),
        }
      : {}),
    engines: source.engines ?? DEFAULT_ENGINES,
    files: [...files],
  };
}
