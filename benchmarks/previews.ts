import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleave } from "../packages/engine/dsp/interleave.ts";
import { release } from "../packages/engine/dsp/release.ts";
import { toSampleRate } from "../packages/engine/dsp/resampling/resampled-source.ts";
import { ArraySource } from "../packages/engine/dsp/sources/array-source.ts";
import { PcmFileSource } from "../packages/engine/files/pcm-file-source.ts";
import { EngineProcess } from "../packages/engine/index.ts";
import { toPreviewShape } from "../packages/engine/previews/preview-shape.ts";
import { PreviewTrackWriter } from "../packages/engine/previews/preview-track-writer.ts";
import { readSound } from "../packages/engine/support/sound-file.ts";
import { writeGeneratedSong } from "./generated-song.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";

/**
 * The CPU time of previews in a Task, and their size: each case with and without them in turn, in one engine whose network is loaded, then the previews of
 * the same stems by themselves. `npm run bench previews -- [ROUNDS] [MINUTES]`
 *
 * On a busy machine two runs of the same Task differ by more than previews cost, even in CPU time, since other processes evict its caches. The time of
 * previews by themselves varies less.
 */
const RESULTS_PATH = join(import.meta.dirname, "results/previews.md");
const CASES = {
  "vocals, 44.1 kHz": { models: ["vocals"], sampleRateHz: 44_100 },
  "four stems, 44.1 kHz": { models: ["vocals", "drums", "bass", "other"], sampleRateHz: 44_100 },
  "four stems, 48 kHz": { models: ["vocals", "drums", "bass", "other"], sampleRateHz: 48_000 },
} as const;
const GOAL_SHARE = 0.05;
const NETWORK_RATE_HZ = 44_100;

type Sound = ReturnType<typeof readSound>;
type CaseName = keyof typeof CASES;
type Figures = { cpuSeconds: number; bytes: number; aloneSeconds: number };

const [rounds = "4", minutes = "1"] = process.argv.slice(2);
const run = describeRun();
const names = Object.keys(CASES) as CaseName[];
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();
const figures = new Map(names.map((name) => [name, { with: [] as Figures[], without: [] as Figures[] }]));
try {
  for (const { sampleRateHz } of Object.values(CASES))
    writeGeneratedSong(toInput(sampleRateHz), Number(minutes), sampleRateHz);
  await measure(names[0] as CaseName, false);
  for (let round = 0; round < Number(rounds); round++) {
    for (const name of names) {
      // Alternates, since the first of a round sees the machine as the previous round left it.
      for (const hasPreviews of round % 2 === 0 ? [true, false] : [false, true]) {
        const figure = await measure(name, hasPreviews);
        figures.get(name)?.[hasPreviews ? "with" : "without"].push(figure);
        process.stdout.write(
          `${name}, ${hasPreviews ? "with" : "without"}: ${figure.cpuSeconds.toFixed(2)} s, previews alone ${figure.aloneSeconds.toFixed(2)} s\n`,
        );
      }
    }
    // After each round: what stops a long run leaves the rounds before.
    writeFileSync(RESULTS_PATH, describe(round + 1));
  }
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

function toInput(sampleRateHz: number): string {
  return join(folder, `song-${sampleRateHz}.wav`);
}

async function measure(name: CaseName, hasPreviews: boolean): Promise<Figures> {
  const { models, sampleRateHz } = CASES[name];
  const workDir = mkdtempSync(join(folder, "work-"));
  const outputs = join(workDir, "outputs");
  mkdirSync(outputs);
  const toOutput = (model: string) => join(outputs, `${model}.wav`);
  const targets = models.map((model) => ({
    kind: "sound" as const,
    key: model,
    model,
    files: [{ output: "stem" as const, format: "wav" as const, path: toOutput(model) }],
  }));
  let bytes = 0;
  const startCpuMs = engine.pid === undefined ? 0 : await readCpuMs(engine.pid);
  await engine.run(
    {
      inputPath: toInput(sampleRateHz),
      workDir,
      targets,
      ...(hasPreviews && { previews: { storedChunks: {} } }),
    },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
      onPreview: (news) => {
        if (news.kind === "failed") throw new Error(news.message);
        for (const { path } of news.files.filter(({ name: file }) => file.includes("chunks")))
          bytes += statSync(path).size;
      },
    },
  );
  const cpuSeconds = ((await readCpuMs(engine.pid ?? 0)) - startCpuMs) / 1000;
  const stems = models.map((model) => readSound(toOutput(model)));
  // The mix replaces the input.
  const aloneSeconds = [
    measureAlone(mixSounds(stems), workDir, sampleRateHz),
    ...stems.map((stem) => measureAlone(stem, workDir, NETWORK_RATE_HZ)),
  ].reduce((sum, seconds) => sum + seconds);
  rmSync(workDir, { recursive: true });
  return { cpuSeconds, bytes, aloneSeconds };
}

function mixSounds(sounds: readonly Sound[]): Sound {
  const [first] = sounds;
  if (!first) throw new Error("there is nothing to mix");
  const planes = first.planes.map((plane, channel) =>
    plane.map((_, n) => sounds.reduce((sum, sound) => sum + (sound.planes[channel]?.[n] ?? 0), 0)),
  );
  return { ...first, planes };
}

/** CPU time of one track's previews, from a file as the Task has it: at its network's rate, or its own. */
function measureAlone({ planes, ...sound }: Sound, workDir: string, fileRateHz: number): number {
  const filed = toSampleRate(new ArraySource(planes, sound.sampleRateHz), { sampleRateHz: fileRateHz });
  const folder = mkdtempSync(join(workDir, "alone-"));
  const pcmPath = join(folder, "track.f32");
  writeFileSync(pcmPath, interleave(filed.read(0, filed.lengthFrames)));
  using pcm = new PcmFileSource(pcmPath, filed);
  const shape = toPreviewShape({ ...sound, read: () => [] });
  mkdirSync(join(folder, "out"));
  const track = new PreviewTrackWriter({ track: "a", shape, folder, storedChunks: 0, report: () => {} });
  const before = process.cpuUsage();
  const source = toSampleRate(pcm, sound);
  for (let start = 0; start < shape.lengthFrames; start += shape.chunkFrames) {
    const chunk = source.read(start, Math.min(shape.chunkFrames, shape.lengthFrames - start));
    track.write(chunk);
    release(chunk);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2;
}

function describe(finishedRounds: number): string {
  const toPercent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const list = (taken: readonly Figures[]) => taken.map(({ cpuSeconds }) => cpuSeconds.toFixed(1)).join(", ");
  return [
    "# What previews cost",
    "",
    `A computed song of ${minutes} min in stereo, each target as wav, in one engine whose network is loaded; with and without previews in turn, ${finishedRounds} times.`,
    "Processor seconds of the engine and its children. *By difference* is the median over the rounds of what a run with previews takes above the one without;",
    "*alone* is what the previews of the same tracks take by themselves, from reading a stem back and resampling it to FLAC, peaks and spectrograms, of the",
    `median run without. The goal is ${toPercent(GOAL_SHARE)}, and 12 MB for each track and minute. \`npm run bench previews\`.`,
    "",
    ...run,
    "",
    "| Task | without (s) | with (s) | by difference | alone (s) | of the Task | MB a track and minute |",
    "|---|---|---|---|---|---|---|",
    ...names.map((name) => {
      const { with: withThem = [], without = [] } = figures.get(name) ?? {};
      const ratios = withThem.map(
        ({ cpuSeconds }, round) => cpuSeconds / (without[round]?.cpuSeconds ?? Number.NaN),
      );
      const aloneSeconds = middle([...withThem, ...without].map((figure) => figure.aloneSeconds));
      const tracks = CASES[name].models.length + 1;
      const cells = [
        name,
        list(without),
        list(withThem),
        toPercent(middle(ratios) - 1),
        aloneSeconds.toFixed(2),
        toPercent(aloneSeconds / middle(without.map(({ cpuSeconds }) => cpuSeconds))),
        ((withThem[0]?.bytes ?? 0) / 1e6 / tracks / Number(minutes)).toFixed(1),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
    "At 48 kHz every stem is resampled twice, once for its previews and once for its file.",
    "",
  ].join("\n");
}
