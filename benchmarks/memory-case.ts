import { join } from "node:path";
import { EngineProcess, type TargetProgress } from "../packages/engine/index.ts";
import { runRequest } from "../packages/engine/request/run-request.ts";
import { GainNetwork, makeGainManifest } from "../packages/engine/support/gain-network.ts";
import type { EngineRequest } from "../packages/engine/targets/engine-request.ts";

/** Separates one file and reports its progress to the parent: `memory-case.ts FOLDER htdemucs|gain`. */
const [folder = "", network] = process.argv.slice(2);

/** As long as those of htdemucs, so that both hold the same amount. */
const SEGMENT_FRAMES = 343_980;

const request: EngineRequest = {
  inputPath: join(folder, "input.wav"),
  workDir: join(folder, "work"),
  targets: [
    {
      kind: "sound",
      key: "vocals",
      model: "vocals",
      files: [{ output: "stem", format: "wav", path: join(folder, "vocals.wav") }],
    },
  ],
};
const report = {
  onProgress: (progress: readonly TargetProgress[]) => {
    for (const { fraction, secondsLeft } of progress) process.send?.({ fraction, secondsLeft });
  },
  onTargetFailed: (_: string, error: Error) => {
    throw error;
  },
};

if (network === "gain") {
  const networks = new GainNetwork(SEGMENT_FRAMES);
  await runRequest(request, { networks, manifests: [makeGainManifest(SEGMENT_FRAMES)], report });
} else {
  const engine = new EngineProcess();
  await engine.run(request, report);
  await engine.close();
}
process.disconnect?.();
