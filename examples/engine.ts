// The engine as a library, without a service: node examples/engine.ts song.mp3 vocals.wav
import { EngineProcess } from "@stemwright/engine";

const [inputPath = "song.mp3", path = "vocals.wav"] = process.argv.slice(2);
const engine = new EngineProcess();
const files = [{ output: "stem", format: "wav", path } as const];
await engine.run(
  { inputPath, workDir: `${path}.work`, targets: [{ kind: "sound", key: "1", model: "vocals", files }] },
  { onProgress: ([target]) => console.log(`${Math.round((target?.fraction ?? 0) * 100)} %`) },
);
await engine.close();
console.log(path);
