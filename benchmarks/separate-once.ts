import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";

/**
 * Separates one file into the four stems, like a worker, and exits: `separate-once.ts FILE FOLDER CACHE`; CACHE remembers verified weights, as for a
 * worker.
 */
const [inputPath = "", folder = "", cacheDir = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const workDir = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess({ cacheDir });
try {
  await engine.run(
    {
      inputPath,
      workDir,
      targets: ["drums", "bass", "other", "vocals"].map((model) => ({
        kind: "sound",
        key: model,
        model,
        files: [{ output: "stem", format: "wav", path: join(folder, `${model}.wav`) }],
      })),
    },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
} finally {
  await engine.close();
  rmSync(workDir, { recursive: true });
}
