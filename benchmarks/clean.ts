import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { joinSamples } from "../packages/engine/support/join-samples.ts";
import { DeepFilter } from "./clean/deep-filter.ts";
import { measureRecordings } from "./clean/measure-recordings.ts";
import { EngineBench, readPlane } from "./engine-bench.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";
import { Figures } from "./voices/figures.ts";

/*
 * Clean speech by the engine and by DeepFilterNet3 on the same held-out recordings, and the speed.
 *
 *   npm run bench clean -- HELD_OUT PEER [--figures FILE] [--count 60]
 *
 * HELD_OUT: `python3 -m training.mix.held_out_speech --packs POOL --out HELD_OUT`. PEER: a folder with `denoise-voice-clarity` 0.2.2 installed, whose
 * weights are used. What is in the file of figures is not measured again.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    figures: { type: "string" },
    count: { type: "string", default: "60" },
  },
});
const [folder, peerFolder] = positionals;
if (folder === undefined || peerFolder === undefined)
  throw new Error("usage: npm run bench clean -- HELD_OUT PEER; see the head of benchmarks/clean.ts");

const RESULTS = join(import.meta.dirname, "results/clean.md");
const SPEED_RECORDINGS = 10;
const about = describeRun();
const figures = new Figures(values.figures);
const peer = await DeepFilter.load(peerFolder);
await using bench = new EngineBench();
const recordings = await measureRecordings(bench, { folder, peer, count: Number(values.count) }, figures);
const speed = await figures.measure("speed", () => measureSpeed(folder));
const lines = [
  "# Clean speech",
  "",
  ...about,
  `- held-out speakers, noises and rooms, 6 s at 48 kHz (\`training/mix/held_out_speech.py\`), ${values.count} of each kind: \`npm run bench clean\``,
  "",
  ...recordings,
  "",
  "SI-SDR of the untouched recordings is in brackets. `noise` is at 0 to 10 dB, `rooms` has reverberation, `both` has both; DeepFilterNet3 is made to",
  "remove noise alone. The loudness score is the perceptual core of PESQ (ITU-T P.862) without its alignments, at most 4.5; its values are not PESQ's",
  "(`benchmarks/clean/loudness-score.ts` says exactly what it is).",
  "",
  `Speed: ${speed}.`,
];
writeFileSync(RESULTS, `${lines.join("\n")}\n`);
console.log(lines.join("\n"));

async function measureSpeed(folder: string): Promise<string> {
  const names = readdirSync(folder).sort().slice(0, SPEED_RECORDINGS);
  const minute = joinSamples(names.map((name) => readPlane(join(folder, name, "mix.wav"))));
  const path = bench.write("minute", minute, DeepFilter.sampleRateHz);
  await bench.takeSounds(path, ["speech_denoise"]);
  const [cpuBefore, before] = [await readCpuMs(process.pid), performance.now()];
  await bench.takeSounds(path, ["speech_denoise"]);
  const wallSeconds = (performance.now() - before) / 1000;
  const cpuSeconds = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
  const seconds = minute.length / DeepFilter.sampleRateHz;
  const inAll = `${seconds.toFixed(0)} s of mono at 48 kHz, with decoding and encoding: ${wallSeconds.toFixed(1)} s`;
  return `${inAll} (${(seconds / wallSeconds).toFixed(1)} × real time),\n${cpuSeconds.toFixed(1)} CPU-seconds (${((2 * seconds) / cpuSeconds).toFixed(1)} × real time on two idle cores)`;
}
