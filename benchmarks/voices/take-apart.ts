import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EngineBench, readPlane } from "../engine-bench.ts";
import { readCpuMs, readMemory } from "../process-figures.ts";
import type { SpokenSpan } from "./spoken-steps.ts";

export type Voices = {
  /** The first channel of each voice. */
  planes: Float32Array[];
  spans: SpokenSpan[];
  cpuSeconds: number;
  wallSeconds: number;
  /** Peak of the engine process so far. */
  peakMb: number;
};

/** The engine with `multi_voice`. */
export class VoicesBench extends EngineBench {
  async takeApart(inputPath: string, variant: "two_speaker" | "n_speaker"): Promise<Voices> {
    const pathPrefix = join(this.folder, "voice");
    const [cpuBefore, before] = [await readCpuMs(process.pid), performance.now()];
    const voiceCount = await this.run(inputPath, [
      {
        kind: "voices",
        key: "v",
        model: "multi_voice",
        variant,
        pathPrefix,
        formats: ["wav"],
        hasResidual: false,
      },
    ]);
    const wallSeconds = (performance.now() - before) / 1000;
    const cpuSeconds = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
    const { peakMb } = await readMemory(this.engine.pid ?? process.pid);
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
}
