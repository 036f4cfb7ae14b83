import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArrays } from "../packages/engine/checkpoints/support/write-arrays.ts";
import { Reference } from "../packages/engine/networks/support/reference.ts";
import { describeRun } from "./machine.ts";
import type { ProgramFigures } from "./measure-program.ts";

/**
 * Networks as large as the published ones, with weights that a formula makes: one chunk with the original implementation in PyTorch and with ours, in turn.
 * `npm run bench open-networks -- PYTHON_COMMAND FOLDER [ROUNDS [NAME…]]`, where PYTHON_COMMAND is `python3 training/reference_outputs.py` with the paths of
 * the originals and `--out FOLDER`.
 */
const RESULTS_PATH = join(import.meta.dirname, "results/open-networks.md");
const PROGRAMS = ["PyTorch", "ours", "ours in bytes"] as const;
const NETWORKS = { htdemucs_6s: PROGRAMS, SCNet_large: PROGRAMS.slice(0, 2), MDX23C: PROGRAMS.slice(0, 2) };

type Program = (typeof PROGRAMS)[number];

const [python = "", folder = "", rounds = "1", ...names] = process.argv.slice(2);
if (folder === "") throw new Error("Name the command of the originals and the folder it writes to.");
const run = describeRun();
const rows: string[] = [];
for (const [name, programs] of Object.entries(NETWORKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const weightsFolder = mkdtempSync(join(tmpdir(), "stemwright-open-"));
  const figures = new Map<Program, ProgramFigures[]>(programs.map((program) => [program, []]));
  try {
    for (let round = 0; round < Number(rounds); round++) {
      for (const program of programs) figures.get(program)?.push(measure(program, name, weightsFolder));
    }
  } finally {
    rmSync(weightsFolder, { recursive: true });
  }
  const [original] = programs.map((program) => toMean(figures.get(program) ?? []));
  for (const program of programs)
    rows.push(formatRow(name, program, toMean(figures.get(program) ?? []), original));
  process.stdout.write(`${rows.slice(-programs.length).join("\n")}\n`);
}
writeFileSync(RESULTS_PATH, formatResults());

function measure(program: Program, name: string, weightsFolder: string): ProgramFigures {
  const description = join(folder, `${name}.json`);
  if (program === "PyTorch") return readFigures("bash", ["-c", `${python} --time ${name}`]);
  const weights = join(weightsFolder, "network.safetensors");
  storeWeights(description, weights);
  const script = join(import.meta.dirname, "time-network.ts");
  return readFigures(process.execPath, [
    script,
    description,
    weights,
    program === "ours" ? "floats" : "bytes",
  ]);
}

function readFigures(command: string, args: readonly string[]): ProgramFigures {
  const printed = execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
}

function storeWeights(description: string, path: string): void {
  const { checkpoint } = new Reference(description);
  const tensors = checkpoint.tensors.map(({ name, shape }) => ({ name, shape, dtype: "F32" as const }));
  writeArrays(path, tensors, checkpoint.read);
}

function toMean(figures: readonly ProgramFigures[]): ProgramFigures {
  const mean = (field: keyof ProgramFigures) =>
    figures.reduce((sum, one) => sum + one[field], 0) / figures.length;
  return {
    wallSeconds: mean("wallSeconds"),
    cpuSeconds: mean("cpuSeconds"),
    peakMegabytes: mean("peakMegabytes"),
  };
}

function formatRow(name: string, program: Program, own: ProgramFigures, original = own): string {
  const cell = (field: keyof ProgramFigures, digits: number) =>
    `${own[field].toFixed(digits)} (${(own[field] / original[field]).toFixed(2)})`;
  const cells = [cell("wallSeconds", 1), cell("cpuSeconds", 1), cell("peakMegabytes", 0)];
  return `| ${name} | ${program} | ${cells.join(" | ")} |`;
}

function formatResults(): string {
  return [
    "# Networks that people add, against their original implementations",
    "",
    "One chunk of the network's own length, two threads, the programs in turn; in brackets the share of PyTorch's. Time is that of the chunk alone, memory the peak of",
    `the whole process. ${rounds} rounds. \`npm run bench open-networks\`.`,
    "",
    ...run,
    "",
    "| network | program | wall s | CPU s | peak MB |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
