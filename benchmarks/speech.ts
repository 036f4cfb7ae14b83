import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { joinSamples } from "../packages/engine/support/join-samples.ts";
import { writeSound } from "../packages/engine/support/sound-file.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { loadTimit, TIMIT_RATE_HZ } from "./align/load-timit.ts";
import { repeatUtterances } from "./align/repeat-utterances.ts";
import { describeRun } from "./machine.ts";
import { takeTurns } from "./speech/take-turns.ts";
import { countWordErrors } from "./speech/word-errors.ts";
import type { Figures } from "./speech/write-figures.ts";

/*
 * Transcription by the engine and by transformers.js with the same weights, in turns on the same audio: TIMIT's sentences, repeated until the minutes are
 * filled, with pauses of a second. Takes TIMIT's folder, the minutes, and a folder in which `@huggingface/transformers` is installed; without that, only the
 * engine runs.
 */
const [, , timitDir, minutesText = "60", peerDir] = process.argv;
if (timitDir === undefined) {
  throw new Error("usage: npm run bench speech -- <timit> [minutes] [folder with @huggingface/transformers]");
}
const PAUSE_SECONDS = 1;
const LONG_MINUTES = 60;
const minutes = Number(minutesText);
const RESULTS = join(import.meta.dirname, "results", minutes < LONG_MINUTES ? "speech.md" : "speech-long.md");

type Program = { name: string; script: string; args: string[]; turnSeconds: number };
type Row = Figures & { name: string; wallSeconds: number; wer: number };

const folder = await makeTempDir("bench-speech");
const inputPath = join(folder, "speech.wav");
const reference = makeSpeech(minutes * 60);
const about = describeRun();
const rows = await run([
  { name: "Stemwright", script: "run-engine.ts", args: [inputPath], turnSeconds: 20 },
  ...(peerDir === undefined
    ? []
    : [
        {
          name: "transformers.js",
          script: "run-transformers.ts",
          args: [inputPath, peerDir],
          turnSeconds: 50,
        },
      ]),
]);
writeFileSync(RESULTS, `${[...describe(rows), ...describeMemory(rows)].join("\n")}\n`);
await rm(folder, { recursive: true, force: true });

/** Each program transcribes all of it in one separate process. */
async function run(programs: readonly Program[]): Promise<Row[]> {
  const figuresPath = ({ name }: Program) => join(folder, `${name}.json`);
  const wallSeconds = await takeTurns(
    programs.map((program) => ({
      args: [join(import.meta.dirname, "speech", program.script), ...program.args, figuresPath(program)],
      turnSeconds: program.turnSeconds,
    })),
  );
  return programs.map((program, n) => {
    const figures: Figures = JSON.parse(readFileSync(figuresPath(program), "utf8"));
    const { wrong, of } = countWordErrors(reference, figures.text);
    return { ...figures, name: program.name, wallSeconds: wallSeconds[n] ?? 0, wer: (100 * wrong) / of };
  });
}

function describe(rows: readonly Row[]): string[] {
  const lines = [
    "# Transcription",
    "",
    ...about,
    "",
    `${minutesText} minutes of TIMIT's sentences with pauses of a second, whisper-small in int8${rows.length > 1 ? "; the programs run by turns, all but one of them stopped" : ""}.`,
    "",
    "| program | WER % | wall s | CPU s | peak memory MB |",
    "|---|---|---|---|---|",
    ...rows.map(
      ({ name, wer, wallSeconds, cpuSeconds, peakMegabytes }) =>
        `| ${name} | ${wer.toFixed(2)} | ${wallSeconds.toFixed(0)} | ${cpuSeconds.toFixed(0)} | ${peakMegabytes.toFixed(0)} |`,
    ),
  ];
  const [own, peer] = rows;
  if (own && peer) {
    const times = (of: (row: Row) => number) => `${(of(peer) / of(own)).toFixed(2)} ×`;
    lines.push(
      "",
      `Ratios of transformers.js to Stemwright: wall time ${times((row) => row.wallSeconds)}, CPU time ${times((row) => row.cpuSeconds)}, memory ${times((row) => row.peakMegabytes)}.`,
    );
  }
  console.log(lines.join("\n"));
  return lines;
}

function describeMemory(rows: readonly Row[]): string[] {
  const along = rows.flatMap(({ memory }) => memory ?? []);
  return [
    "",
    "Stemwright's memory over time:",
    "",
    "| of the work | MB |",
    "|---|---|",
    ...along.map(
      ({ fraction, megabytes }) => `| ${(100 * fraction).toFixed(0)} % | ${megabytes.toFixed(0)} |`,
    ),
  ];
}

/** Writes the input and returns its text. */
function makeSpeech(seconds: number): string {
  const utterances = repeatUtterances(loadTimit(timitDir ?? ""), { seconds, pauseSeconds: PAUSE_SECONDS });
  const pause = new Float32Array(PAUSE_SECONDS * TIMIT_RATE_HZ);
  writeSound(inputPath, [joinSamples(utterances.flatMap(({ samples }) => [samples, pause]))], TIMIT_RATE_HZ);
  return utterances.map(({ text }) => text).join(" ");
}
