import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MANIFESTS_FOLDER } from "../../manifests/manifest.ts";
import type { ConfinementReport } from "../../sandbox/confine-engine.ts";
import { EngineProcess } from "../engine-process.ts";

/** The outcome of each attempt, and what the engine process has. */
export type HostileEngine = {
  outcomes: Record<string, string>;
  /** As the kernel shows it. */
  environment: string;
  report: ConfinementReport | undefined;
};

/** Runs hostile code in the engine process of a service with this data folder. */
async function runHostileEngine(): Promise<HostileEngine> {
  const { env } = process;
  const dataDir = await mkdtemp(join(tmpdir(), "stemwright-hostile-"));
  for (const folder of ["blobs", "work/other", "work/mine/engine", "cache/stems"])
    await mkdir(join(dataDir, folder), { recursive: true });
  for (const file of ["encryption.key", "blobs/a.wav", "work/other/input", "work/mine/input"])
    await writeFile(join(dataDir, file), "secret", { mode: 0o600 });
  const outcomePath = join(dataDir, "work/mine/engine/outcomes.json");
  const preload = new URL("./hostile-engine.mjs", import.meta.url);
  const weights = join(MANIFESTS_FOLDER, "htdemucs.json");
  preload.searchParams.set(
    "places",
    JSON.stringify({ dataDir, parentPid: process.pid, weights, outcomePath }),
  );
  env.NODE_OPTIONS = `--import=${preload}`;
  env.DATABASE_URL = "postgres://secret";
  let report: ConfinementReport | undefined;
  const engine = new EngineProcess({
    cacheDir: join(dataDir, "cache"),
    workRoot: join(dataDir, "work"),
    onConfined: (told) => {
      report = told;
    },
  });
  const mine = join(dataDir, "work/mine");
  await engine.run({ inputPath: join(mine, "input"), workDir: join(mine, "engine"), targets: [] });
  await engine.close();
  const found = JSON.parse(await readFile(outcomePath, "utf8")) as Omit<HostileEngine, "report">;
  await rm(dataDir, { recursive: true, force: true });
  return { ...found, report };
}

process.stdout.write(JSON.stringify(await runHostileEngine()));
process.exit(0);
