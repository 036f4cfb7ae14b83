import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeSound } from "../packages/engine/pipelines/fixtures/sound-file.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { loadTimit, TIMIT_RATE_HZ } from "./align/load-timit.ts";
import { describeRun } from "./machine.ts";
import { countWordErrors } from "./speech/word-errors.ts";
import type { Figures } from "./speech/write-figures.ts";

/*
 * Transcription by the engine and by transformers.js with the same weights, one after the other on the same audio: TIMIT's sentences,
 * over and over until the minutes are full, with pauses of a second. Takes TIMIT's folder, the minutes, and a folder in which
 * `@huggingface/transformers` is installed.
 */
const [, , timitDir, minutesText = "60", peerDir] = process.argv;
if (timitDir === undefined) {
  throw new Error("usage: npm run bench:speech -- <timit> [minutes] [folder with @huggingface/transformers]");
}
const PAUSE_FRAMES = TIMIT_RATE_HZ;
/** The engine alone is for long recordings: the other program takes all of them into memory. */
const RESULTS = join(import.meta.dirname, "results", peerDir === undefined ? "speech-long.md" : "speech.md");

const folder = await makeTempDir("bench-speech");
const inputPath = join(folder, "speech.wav");
const reference = await makeSpeech(Number(minutesText) * 60);
const lines = ["# Transcription", "", ...describeRun(), ""];
lines.push(
  `${minutesText} minutes of TIMIT's sentences with pauses of a second, whisper-small in 8 bits.`,
  "",
);
lines.push("| program | WER % | wall s | CPU s | peak memory MB |", "|---|---|---|---|---|");
const along: string[] = [];
for (const [name, args] of [
  ["Stemwright", ["speech/run-engine.ts", inputPath]],
  ["transformers.js", ["speech/run-transformers.ts", inputPath, peerDir ?? ""]],
] as const) {
  if (name === "transformers.js" && peerDir === undefined) continue;
  const figures = measure(args);
  const errors = countWordErrors(reference, figures.text);
  const wer = ((100 * errors.wrong) / errors.of).toFixed(2);
  const { wallSeconds, cpuSeconds, peakMegabytes } = figures;
  lines.push(
    `| ${name} | ${wer} | ${wallSeconds.toFixed(0)} | ${cpuSeconds.toFixed(0)} | ${peakMegabytes.toFixed(0)} |`,
  );
  console.log(lines.at(-1));
  if (figures.memory !== undefined) along.push(...figures.memory.map(toMemoryRow));
}
lines.push("", "Stemwright's memory along the way:", "", "| of the work | MB |", "|---|---|", ...along);
writeFileSync(RESULTS, `${lines.join("\n")}\n`);
await rm(folder, { recursive: true, force: true });

function toMemoryRow({ fraction, megabytes }: { fraction: number; megabytes: number }): string {
  return `| ${(100 * fraction).toFixed(0)} % | ${megabytes.toFixed(0)} |`;
}

/** Each program in a process of its own, with all of its threads and children counted. */
function measure([script, ...args]: readonly [string, ...string[]]): Figures {
  const figuresPath = join(folder, "figures.json");
  const run = spawnSync(process.execPath, [join(import.meta.dirname, script), ...args, figuresPath], {
    stdio: "inherit",
  });
  if (run.status !== 0) throw new Error(`${script} failed`);
  return JSON.parse(readFileSync(figuresPath, "utf8"));
}

async function makeSpeech(seconds: number): Promise<string> {
  const utterances = loadTimit(timitDir ?? "");
  const samples: Float32Array[] = [];
  const texts: string[] = [];
  let frames = 0;
  for (let n = 0; frames < seconds * TIMIT_RATE_HZ; n++) {
    const utterance = utterances[(n * 37) % utterances.length];
    if (utterance === undefined) throw new Error("no sentences found");
    samples.push(utterance.samples, new Float32Array(PAUSE_FRAMES));
    texts.push(utterance.text);
    frames += utterance.samples.length + PAUSE_FRAMES;
  }
  const sound = new Float32Array(frames);
  let at = 0;
  for (const part of samples) {
    sound.set(part, at);
    at += part.length;
  }
  writeSound(inputPath, [sound], TIMIT_RATE_HZ);
  const text = texts.join(" ");
  await writeFile(join(folder, "reference.txt"), text);
  return text;
}
