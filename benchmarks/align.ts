import { readFileSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { joinSamples } from "../packages/engine/support/join-samples.ts";
import { writeSound } from "../packages/engine/support/sound-file.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { type MarkedWord, pairWords, toFigures, type WrittenWord } from "./align/boundary-errors.ts";
import { loadSongs } from "./align/load-song.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "./align/load-timit.ts";
import { repeatUtterances } from "./align/repeat-utterances.ts";
import { describeRun } from "./machine.ts";
import { readMemory } from "./process-figures.ts";

/*
 * How well words are timed: speech against TIMIT's annotations, songs against the onsets of their words. Everything runs through the engine's public
 * interface, transcription and alignment in one request. Takes the folder with `timit` and `jamendo`; `long`, an hour of TIMIT's utterances as one
 * recording with one text, is generated if named.
 */
const [, , evaluationDir, ...sets] = process.argv;
if (evaluationDir === undefined) {
  throw new Error("usage: npm run bench align -- <folder with timit and jamendo> [timit] [jamendo] [long]");
}
const PAUSE_SECONDS = 0.5;
const LONG_SECONDS = 3600;

const engine = new EngineProcess();
const folder = await makeTempDir("bench-align");

function report(name: string, ...lines: string[]): void {
  const path = join(import.meta.dirname, `results/align-${name}.md`);
  writeFileSync(path, `${[...lines, "", ...describeRun()].join("\n")}\n`);
  for (const line of lines) console.log(line);
}

type Transcribed = { own: WrittenWord[]; given: WrittenWord[] };

async function transcribeFile(
  name: string,
  work: { inputPath: string; text: string; language: string },
): Promise<Transcribed> {
  const transcriptPath = join(folder, `${name}.txt`);
  await writeFile(transcriptPath, work.text);
  const target = (model: string) => ({
    kind: "text" as const,
    key: model,
    model,
    language: work.language,
    files: [{ format: "json" as const, path: join(folder, `${name}-${model}.json`) }],
  });
  await engine.run(
    {
      inputPath: work.inputPath,
      workDir: join(folder, `${name}-work`),
      targets: [target("transcription"), { ...target("alignment"), transcriptPath }],
    },
    {
      onTargetFailed: (key, error) => {
        throw new Error(`${key} of ${name} failed`, { cause: error });
      },
    },
  );
  const read = (model: string) => {
    const json = readFileSync(join(folder, `${name}-${model}.json`), "utf8");
    const { lines: written } = JSON.parse(json) as { lines: { words: WrittenWord[] }[] };
    return written.flatMap((line) => line.words);
  };
  return { own: read("transcription"), given: read("alignment") };
}

/** The utterances of a speaker as one recording, with pauses between them. */
function joinUtterances(utterances: readonly TimitUtterance[]): {
  samples: Float32Array;
  words: MarkedWord[];
} {
  const pause = new Float32Array(PAUSE_SECONDS * TIMIT_RATE_HZ);
  const parts: Float32Array[] = [pause];
  const words: MarkedWord[] = [];
  let startFrame = pause.length;
  for (const utterance of utterances) {
    const offset = startFrame / TIMIT_RATE_HZ;
    parts.push(utterance.samples, pause);
    startFrame += utterance.samples.length + pause.length;
    for (const { text, startSeconds, endSeconds } of utterance.words) {
      words.push({ text, startSeconds: startSeconds + offset, endSeconds: endSeconds + offset });
    }
  }
  return { samples: joinSamples(parts), words };
}

const toMs = (seconds: number) => `${(seconds * 1000).toFixed(1)} ms`;
const toPercent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Errors of start and end; empty for a missing word. */
function listErrors(marked: MarkedWord, written: WrittenWord | undefined): number[] {
  return [
    (written?.start ?? Number.NaN) - marked.startSeconds,
    (written?.end ?? Number.NaN) - marked.endSeconds,
  ];
}

async function benchTimit(): Promise<void> {
  const utterances = loadTimit(join(evaluationDir ?? "", "timit"));
  const own: number[] = [];
  const given: number[] = [];
  const rows: string[] = [];
  let [markedCount, ownCount] = [0, 0];
  for (const speaker of new Set(utterances.map((utterance) => utterance.speaker))) {
    const spoken = utterances.filter((utterance) => utterance.speaker === speaker);
    const { samples, words } = joinUtterances(spoken);
    const inputPath = join(folder, `${speaker}.wav`);
    writeSound(inputPath, [samples], TIMIT_RATE_HZ);
    const text = spoken.map((utterance) => utterance.text).join("\n");
    const recognised = await transcribeFile(speaker, { inputPath, text, language: "en" });
    const pairs = pairWords(words, recognised.own);
    const ownErrors = pairs.flatMap(({ marked, written }) => listErrors(marked, written));
    const givenErrors = words.flatMap((word, n) => listErrors(word, recognised.given[n]));
    markedCount += words.length;
    ownCount += pairs.length;
    own.push(...ownErrors);
    given.push(...givenErrors);
    rows.push(
      `| ${speaker} | ${words.length} | ${pairs.length} | ${toMs(toFigures(ownErrors).mean)} | ${toMs(toFigures(givenErrors).mean)} |`,
    );
    console.log(rows.at(-1));
  }
  const restored = utterances.filter((utterance) => utterance.isRestored).length;
  const [ownFigures, givenFigures] = [toFigures(own), toFigures(given)];
  report(
    "timit",
    "# Word timing in speech: TIMIT",
    "",
    `${utterances.length} utterances of 8 speakers, each speaker's joined with pauses of ${PAUSE_SECONDS} s into one recording.`,
    `Errors of word starts and ends. ${restored} files had lost bytes and were restored.`,
    "",
    "| words | of | mean error | median | within 50 ms | within 100 ms |",
    "|---|---|---|---|---|---|",
    `| transcription's own correct words | ${ownCount} of ${markedCount} | ${toMs(ownFigures.mean)} | ${toMs(ownFigures.median)} | ${toPercent(ownFigures.share(0.05))} | ${toPercent(ownFigures.share(0.1))} |`,
    `| the given text | ${markedCount} of ${markedCount} | ${toMs(givenFigures.mean)} | ${toMs(givenFigures.median)} | ${toPercent(givenFigures.share(0.05))} | ${toPercent(givenFigures.share(0.1))} |`,
    "",
    "| speaker | words | of them written | mean error of those | mean error of the given text |",
    "|---|---|---|---|---|",
    ...rows,
  );
}

async function benchSongs(): Promise<void> {
  const all: number[] = [];
  const rows: string[] = [];
  for (const { path, name, words, text, language } of loadSongs(join(evaluationDir ?? "", "jamendo"))) {
    const { own, given } = await transcribeFile(name, { inputPath: path, text, language });
    const errors = words.map((word, n) => (given[n]?.start ?? Number.NaN) - word.startSeconds);
    all.push(...errors);
    const { mean, median, share } = toFigures(errors);
    rows.push(
      `| ${name}.mp3 | ${words.length} | ${pairWords(words, own).length} | ${mean.toFixed(3)} s | ${median.toFixed(3)} s | ${toPercent(share(0.3))} |`,
    );
    console.log(rows.at(-1));
  }
  const { mean, median, share, count } = toFigures(all);
  report(
    "jamendo",
    "# Word timing in songs: Jamendo",
    "",
    "Errors of word onsets; text and language are given. The unmodified songs go through the engine, which detects music, separates the vocals and aligns them.",
    "",
    "| song | words | of them written | mean error | median | within 0.3 s |",
    "|---|---|---|---|---|---|",
    ...rows,
    `| all | ${count} | | ${mean.toFixed(3)} s | ${median.toFixed(3)} s | ${toPercent(share(0.3))} |`,
  );
}

async function benchLong(): Promise<void> {
  const utterances = repeatUtterances(loadTimit(join(evaluationDir ?? "", "timit")), {
    seconds: LONG_SECONDS,
    pauseSeconds: PAUSE_SECONDS,
  });
  const { samples, words } = joinUtterances(utterances);
  const inputPath = join(folder, "long.wav");
  writeSound(inputPath, [samples], TIMIT_RATE_HZ);
  const text = utterances.map((utterance) => utterance.text).join("\n");
  const { given } = await transcribeFile("long", { inputPath, text, language: "en" });
  const { mean, median, share } = toFigures(words.flatMap((word, n) => listErrors(word, given[n])));
  const { peakMb } = await readMemory(engine.pid ?? 0);
  report(
    "long",
    "# Word timing in an hour of speech with one text",
    "",
    `${utterances.length} utterances of TIMIT (80, repeated) as one recording with pauses of ${PAUSE_SECONDS} s and one text of ${words.length} words.`,
    "Errors of word starts and ends. Memory is that of the process that transcribes and aligns.",
    "",
    "| words | of | mean error | median | within 50 ms | within 100 ms | peak memory |",
    "|---|---|---|---|---|---|---|",
    `| the given text | ${given.length} of ${words.length} | ${toMs(mean)} | ${toMs(median)} | ${toPercent(share(0.05))} | ${toPercent(share(0.1))} | ${peakMb} MB |`,
  );
}

const BENCHES = { timit: benchTimit, jamendo: benchSongs, long: benchLong };
const USUAL = ["timit", "jamendo"];
try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if ((sets.length === 0 ? USUAL : sets).includes(name)) await bench();
  }
} finally {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
}
