import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const PACKAGES = join(import.meta.dirname, "../packages");

/** The rooms of a folder from the top floor down, the rooms of a floor in one line: a file imports its own room and those on floors below. */
const FLOORS: Record<string, string[]> = {
  server: [
    "main.ts index.ts",
    "start",
    "deliveries commands",
    "compat maintenance",
    "http worker blobs",
    "monitoring",
    "backup media oidc log",
    "config queue",
    "db",
    "buckets waiting",
    "net faults",
    "domain exports streams telemetry",
  ],
  "server/http": [
    "make-app.ts",
    "routes",
    "uploads",
    "requests",
    "api.ts",
    "connections dashboard limits openapi",
    "access errors responses base-path.ts tracing.ts",
  ],
  "server/worker": [
    "worker.ts",
    "runs",
    "realignments spans",
    "health inputs outputs",
    "failures work-dirs wait-out.ts",
  ],
  engine: [
    "index.ts",
    "added-networks",
    "process",
    "request",
    "analysis detection transcription voices",
    "alignment diarization separation",
    "networks",
    "rendering",
    "targets",
    "checkpoints previews stem-file",
    "media text",
    "files runtime sandbox check-finite.ts",
    "dsp manifests compile-cache.ts engine-error.ts engine-killed.ts gpu-failed.ts is-disk-full.ts outside-signal.ts",
  ],
};

const listSources = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.ts$/.test(file.name) && !file.name.includes(".test."))
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => !/\/(node_modules|support)\//.test(path));

function listArrows(folder: string): { from: string; to: string }[] {
  return listSources(folder).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/(?:\bfrom |\bimport\()\s*"(\.[^"]+\.ts)"/g)]
      .map(([, target = ""]) => relative(folder, join(dirname(path), target)))
      .filter((to) => !to.startsWith(".."))
      .map((to) => ({ from: relative(folder, path), to })),
  );
}

describe.each(Object.entries(FLOORS))("the rooms of %s", (name, floors) => {
  const folder = join(PACKAGES, name);
  const floorOf = new Map(
    floors.toReversed().flatMap((rooms, floor) => rooms.split(" ").map((room) => [room, floor] as const)),
  );
  const toRoom = (path: string) => path.split("/")[0] ?? path;

  it("are all listed", () => {
    const rooms = new Set(listSources(folder).map((path) => toRoom(relative(folder, path))));
    expect([...rooms].sort()).toEqual([...floorOf.keys()].sort());
  });

  it("import only those on floors below", () => {
    const upward = listArrows(folder).filter(({ from, to }) => {
      const [own, other] = [toRoom(from), toRoom(to)];
      return own !== other && (floorOf.get(other) ?? Number.POSITIVE_INFINITY) >= (floorOf.get(own) ?? -1);
    });
    expect(upward.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });
});
