import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadManifests } from "../../packages/engine/manifests/manifest.ts";
import { NetworkStore } from "../../packages/engine/networks/network-store.ts";
import { runRequest } from "../../packages/engine/request/run-request.ts";
import { writeFigures } from "./write-figures.ts";

/** One transcription in this process, as in an engine child. */
const [, , inputPath = "", figuresPath = ""] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const path = join(folder, "text.txt");
const memory: { fraction: number; megabytes: number }[] = [];
const target = { kind: "text" as const, key: "text", model: "transcription", language: "en" };
await runRequest(
  { inputPath, workDir: join(folder, "work"), targets: [{ ...target, files: [{ format: "txt", path }] }] },
  {
    networks: new NetworkStore({ threads: 2 }),
    manifests: loadManifests(),
    report: {
      onProgress: ([{ fraction } = { fraction: 0 }]) => {
        if (fraction >= memory.length / 10)
          memory.push({ fraction, megabytes: process.memoryUsage.rss() / 1e6 });
      },
    },
  },
);
writeFigures(figuresPath, { text: readFileSync(path, "utf8"), memory });
rmSync(folder, { recursive: true });
