import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { scaleInvariantSdr, shareOf } from "./distortion.ts";
import { INSTRUMENT_PIECES, loadPiece, loadSound, SAMPLE_RATE_HZ, type Sound } from "./evaluation-pieces.ts";
import { describeRun } from "./machine.ts";
import { toWav } from "./sound.ts";

/**
 * Guitars, piano, keys, strings and wind in real recordings: the SI-SDR each gains over the `other` stem it is taken from, how much of it is in its stem,
 * and how loud the stems of absent instruments are. `npm run bench instruments -- EVALUATION_FOLDER`
 */
const RESULTS_PATH = join(import.meta.dirname, "results/instruments.md");
const INSTRUMENTS = [
  "guitar",
  "guitar_electric",
  "guitar_acoustic",
  "piano",
  "keys",
  "strings",
  "wind",
] as const;

type Instrument = (typeof INSTRUMENTS)[number];
type Row = { title: string; instrument: Instrument; before: Score; after: Score };
type Score = { sdr: number; share: number };

const [evaluationFolder] = process.argv.slice(2);
if (evaluationFolder === undefined) {
  throw new Error("Name the folder of evaluation recordings: npm run bench instruments -- FOLDER");
}
const run = describeRun();
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();
const rows: Row[] = [];
const absent: string[] = [];
try {
  for (const piece of INSTRUMENT_PIECES) {
    const { mix, references } = await loadPiece(evaluationFolder, piece);
    const mixPath = join(folder, `${piece.name}.wav`);
    writeFileSync(mixPath, toWav(mix));
    const stems = await separate(piece.name, mixPath);
    const other = stems.get("other") as Sound;
    const title = `${piece.title}, ${(mix[0].length / SAMPLE_RATE_HZ).toFixed(0)} s`;
    const levels: string[] = [];
    for (const instrument of INSTRUMENTS) {
      const stem = stems.get(instrument) as Sound;
      const reference = references.get(instrument);
      if (reference !== undefined) {
        rows.push({ title, instrument, before: compare(reference, other), after: compare(reference, stem) });
      } else if (!piece.doubtful?.includes(instrument)) {
        levels.push(`${instrument} ${(10 * Math.log10(power(stem) / power(mix))).toFixed(0)}`);
      }
    }
    absent.push(`| ${title} | ${levels.join(", ") || "not known"} |`);
    writeFileSync(RESULTS_PATH, formatResults());
  }
  process.stdout.write(formatResults());
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

async function separate(name: string, inputPath: string): Promise<Map<string, Sound>> {
  const outputs = join(folder, name);
  mkdirSync(outputs);
  const targets = ["other", ...INSTRUMENTS].map((model) => ({
    kind: "sound" as const,
    key: model,
    model,
    files: [{ output: "stem" as const, format: "wav" as const, path: join(outputs, `${model}.wav`) }],
  }));
  await engine.run(
    { inputPath, workDir: join(outputs, "work"), targets },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  const stems = new Map<string, Sound>();
  for (const { key, files } of targets) stems.set(key, await loadSound(files[0]?.path ?? ""));
  rmSync(outputs, { recursive: true });
  return stems;
}

function compare(reference: Sound, estimate: Sound): Score {
  return { sdr: scaleInvariantSdr(reference, estimate), share: shareOf(reference, estimate) };
}

function power(sound: Sound): number {
  return sound.reduce((sum, plane) => plane.reduce((part, value) => part + value ** 2, sum), 1e-12);
}

function formatMeans(): string {
  const means = INSTRUMENTS.map((instrument) => {
    const gains = rows
      .filter((row) => row.instrument === instrument)
      .map(({ before, after }) => after.sdr - before.sdr);
    return `${instrument} ${(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toFixed(2)}`;
  });
  return `**Mean gain in dB: ${means.join(", ")}.**`;
}

function formatResults(): string {
  return [
    "# Guitars, piano, keys, strings and wind on recordings",
    "",
    "SI-SDR in dB against the instrument's recording, of the untouched `other` stem and of the instrument's stem, and how much of the recording each holds.",
    "`npm run bench instruments -- EVALUATION_FOLDER`.",
    "",
    ...run,
    "",
    formatMeans(),
    "",
    "| recording | stem | SI-SDR of `other` | of the stem | gain | share in `other` | in the stem |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(
      ({ title, instrument, before, after }) =>
        `| ${title} | ${instrument} | ${before.sdr.toFixed(2)} | ${after.sdr.toFixed(2)} | ${(after.sdr - before.sdr).toFixed(2)} | ${before.share.toFixed(2)} | ${after.share.toFixed(2)} |`,
    ),
    "",
    "Stems of absent instruments, in dB of the mix:",
    "",
    "| recording | level |",
    "|---|---|",
    ...absent,
    "",
  ].join("\n");
}
