// The engine as a library, without a service: node examples/engine.ts song.mp3 vocals.wav
import { rm } from "node:fs/promises";
import { EngineProcess } from "@stemwright/engine";

const [inputPath = "song.mp3", path = "vocals.wav"] = process.argv.slice(2);
const workDir = `${path}.work`; // checkpoints: a second run resumes after them
const engine = new EngineProcess();
const files = [{ output: "stem", format: "wav", path } as const];
await engine.run(
  { inputPath, workDir, targets: [{ kind: "sound", key: "1", model: "vocals", files }] },
  { onProgress: ([target]) => console.log(`${Math.round((target?.fraction ?? 0) * 100)} %`) },
);
await engine.close();
await rm(workDir, { recursive: true });
console.log(path);
