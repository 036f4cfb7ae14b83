import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { NetworkReport } from "./engine-message.ts";
import { EngineProcess } from "./engine-process.ts";

const LENGTH_FRAMES = 20_000;
const folder = mkdtempSync(join(tmpdir(), "stemwright-gpu-fault-"));
const nodeOptions = process.env.NODE_OPTIONS;

beforeAll(() => {
  // The preloaded module loads onnxruntime before the engine can set this.
  process.env.ORT_DISABLE_TELEMETRY = "1";
  const planes = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: LENGTH_FRAMES });
  writeSound(join(folder, "song.wav"), planes, 44_100);
});
afterAll(() => {
  if (nodeOptions === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = nodeOptions;
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["error", "crash"])("a GPU that fails: %s", (kind) => {
  it("[S33] causes a second attempt on the CPU, where the next request runs too", async () => {
    const preload = new URL("./support/play-gpu.mjs", import.meta.url);
    const fault = join(folder, `fault-${kind}`);
    preload.search = new URLSearchParams({ fault, kind }).toString();
    process.env.NODE_OPTIONS = `${nodeOptions ?? ""} --import=${preload}`;
    writeFileSync(fault, "");
    const notices: string[] = [];
    const loaded: NetworkReport[] = [];
    const engine = new EngineProcess({
      executionProvider: "webgpu",
      cacheDir: join(folder, "cache"),
      onNotice: (notice) => notices.push(notice),
      onNetworkLoaded: (network) => loaded.push(network),
    });
    const done: string[] = [];
    const failed: unknown[] = [];
    const separate = (name: string) =>
      engine.run(
        {
          inputPath: join(folder, "song.wav"),
          workDir: join(folder, `${kind}-${name}-work`),
          targets: [
            {
              kind: "sound",
              key: name,
              model: "dialogue",
              files: [{ output: "stem", format: "wav", path: join(folder, `${kind}-${name}.wav`) }],
            },
          ],
        },
        { onTargetDone: (key) => void done.push(key), onTargetFailed: (_, error) => void failed.push(error) },
      );
    await separate("first");
    expect(notices).toEqual([
      expect.stringMatching(/^The GPU failed: .* Networks run on the CPU for the next 10 minutes\.$/),
    ]);
    const pid = engine.pid;
    await separate("second");
    expect(engine.pid).toBe(pid);
    await engine.close();
    expect({ done, failed }).toEqual({ done: ["first", "second"], failed: [] });
    expect(loaded.map(({ name, runsOn }) => `${name} on ${runsOn.split(" ")[0]}`)).toEqual([
      "dialogue-music-effects on webgpu",
      "dialogue-music-effects on cpu",
    ]);
    expect(readSound(join(folder, `${kind}-first.wav`)).lengthFrames).toBe(LENGTH_FRAMES);
  });
});
