import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineTarget } from "../../packages/engine/pipelines/engine-request.ts";
import { readSound, writeSound } from "../../packages/engine/pipelines/support/sound-file.ts";
import { EngineProcess } from "../../packages/engine/process/engine-process.ts";
import { readCpuMs, readMemory } from "../process-figures.ts";
import type { SpokenSpan } from "./spoken-steps.ts";

export type Voices = {
  /** The first channel of each voice. */
  planes: Float32Array[];
  spans: SpokenSpan[];
  cpuSeconds: number;
  wallSeconds: number;
  /** Of the engine process, at its highest so far. */
  peakMb: number;
};

/** The engine as the service runs it, in a child process. */
export class VoicesBench implements AsyncDisposable {
  readonly #engine = new EngineProcess();
  readonly #folder = mkdtempSync(join(tmpdir(), "stemwright-bench-voices-"));

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Where sound is written that is to be an input. */
  write(name: string, plane: Float32Array, sampleRateHz: number): string {
    const path = join(this.#folder, `${name}.wav`);
    writeSound(path, [plane], sampleRateHz);
    return path;
  }

  async takeApart(inputPath: string, variant: "two_speaker" | "n_speaker"): Promise<Voices> {
    const pathPrefix = join(this.#folder, "voice");
    const [cpuBefore, before] = [await readCpuMs(process.pid), performance.now()];
    const voiceCount = await this.#run(inputPath, {
      kind: "voices",
      key: "v",
      model: "multi_voice",
      variant,
      pathPrefix,
      formats: ["wav"],
      hasResidual: false,
    });
    const wallSeconds = (performance.now() - before) / 1000;
    const cpuSeconds = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
    const { peakMb } = await readMemory(this.#engine.pid ?? process.pid);
    const planes = Array.from({ length: voiceCount }, (_, index) =>
      readPlane(`${pathPrefix}_${String(index + 1).padStart(2, "0")}.wav`),
    );
    const { voices } = JSON.parse(readFileSync(`${pathPrefix}.json`, "utf8")) as {
      voices: { name: string; segments: { start: number; end: number }[] }[];
    };
    const spans = voices.flatMap(({ name, segments }) =>
      segments.map(({ start, end }) => ({ who: name, startSeconds: start, endSeconds: end })),
    );
    return { planes, spans, cpuSeconds, wallSeconds, peakMb };
  }

  /** The dialogue of a recording, without music and effects. */
  async takeDialogue(inputPath: string): Promise<Float32Array> {
    const path = join(this.#folder, "dialogue.wav");
    await this.#run(inputPath, {
      kind: "sound",
      key: "d",
      model: "dialogue",
      files: [{ output: "stem", format: "wav", path }],
    });
    return readPlane(path);
  }

  async transcribe(inputPath: string): Promise<string> {
    const path = join(this.#folder, "text.txt");
    await this.#run(inputPath, {
      kind: "text",
      key: "t",
      model: "transcription",
      language: "en",
      files: [{ format: "txt", path }],
    });
    return readFileSync(path, "utf8");
  }

  async #run(inputPath: string, target: EngineTarget): Promise<number> {
    const workDir = join(this.#folder, "work");
    let voiceCount = 0;
    await this.#engine.run(
      { inputPath, workDir, targets: [target] },
      {
        onTargetDone: (_, result) => {
          voiceCount = result.voiceCount ?? 0;
        },
      },
    );
    rmSync(workDir, { recursive: true });
    return voiceCount;
  }
}

function readPlane(path: string): Float32Array {
  const [plane = new Float32Array()] = readSound(path).planes;
  return plane;
}
