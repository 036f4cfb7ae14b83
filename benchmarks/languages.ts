import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { joinSamples } from "../packages/engine/support/join-samples.ts";
import { readSound, writeSound } from "../packages/engine/support/sound-file.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import { countLetterErrors, countWordErrors } from "./speech/word-errors.ts";

/*
 * Transcription in several languages, with the language detected and given. One folder per set of recordings, named by its language code, optionally with
 * a kind ("th", "th-synthetic"), with utterances as `name.wav` (mono, float, all at one rate) and `name.txt`, and a line about them in `source.txt`.
 * Utterances are joined with pauses of 0.7 s.
 */
const [, , recordingsDir] = process.argv;
if (recordingsDir === undefined) throw new Error("usage: npm run bench languages -- <folder of languages>");
const PAUSE_SECONDS = 0.7;
/** Languages written without spaces between words. */
const UNSPACED = new Set(["ja", "th", "zh"]);

type Transcribed = {
  text: string;
  metadata: { language: string; languageConfidence: number; languageSpans?: { language: string }[] };
};

const folder = await makeTempDir("bench-languages");
const engine = new EngineProcess();
const lines = [
  "# Transcription by language",
  "",
  ...describeRun(),
  "",
  "whisper-small in int8. Errors ignore case, punctuation, accents and vowel points; numbers count as written.",
  "Words are counted in languages with spaces, letters without diacritics.",
  "",
  "| recordings | minutes | words | WER %: found out | given | letters | wrong %: found out | given | found | sure | of |",
  "|---|---|---|---|---|---|---|---|---|---|---|",
];
for (const name of readdirSync(recordingsDir).sort()) {
  const [language = "", kind] = name.split("-");
  const { inputPath, text, seconds } = joinUtterances(join(recordingsDir, name));
  const { text: recognised, metadata } = await transcribe(inputPath, { name });
  const { text: recognisedGiven } = await transcribe(inputPath, { name: `${name}-given`, language });
  const count = UNSPACED.has(language) ? undefined : countWordErrors;
  const [words, wordsGiven] = [count?.(text, recognised), count?.(text, recognisedGiven)];
  const [letters, lettersGiven] = [
    countLetterErrors(text, recognised),
    countLetterErrors(text, recognisedGiven),
  ];
  const spans = metadata.languageSpans?.map((span) => span.language) ?? [];
  lines.push(
    `| ${[
      kind === undefined ? language : `${language}, ${kind}`,
      (seconds / 60).toFixed(1),
      words?.of ?? "–",
      toPercent(words),
      toPercent(wordsGiven),
      letters.of,
      toPercent(letters),
      toPercent(lettersGiven),
      [...new Set([metadata.language, ...spans])].join(", "),
      metadata.languageConfidence.toFixed(2),
      readFileSync(join(recordingsDir, name, "source.txt"), "utf8").trim(),
    ].join(" | ")} |`,
  );
  console.log(lines.at(-1));
}
writeFileSync(join(import.meta.dirname, "results/languages.md"), `${lines.join("\n")}\n`);
await engine.close();
await rm(folder, { recursive: true, force: true });

function toPercent(errors: { wrong: number; of: number } | undefined): string {
  return errors === undefined ? "–" : ((100 * errors.wrong) / errors.of).toFixed(1);
}

function joinUtterances(languageDir: string): { inputPath: string; text: string; seconds: number } {
  const names = readdirSync(languageDir).filter((name) => name.endsWith(".wav"));
  const sounds = names.map((name) => readSound(join(languageDir, name)));
  const sampleRateHz = sounds[0]?.sampleRateHz ?? 0;
  const pause = new Float32Array(PAUSE_SECONDS * sampleRateHz);
  const samples = joinSamples(sounds.flatMap(({ planes }) => [planes[0] ?? pause, pause]));
  const inputPath = join(folder, "speech.wav");
  writeSound(inputPath, [samples], sampleRateHz);
  const texts = names.map((name) => readFileSync(join(languageDir, name.replace(/wav$/, "txt")), "utf8"));
  return { inputPath, text: texts.join(" "), seconds: samples.length / sampleRateHz };
}

async function transcribe(
  inputPath: string,
  { name, language }: { name: string; language?: string },
): Promise<Transcribed> {
  const path = join(folder, `${name}.json`);
  await engine.run(
    {
      inputPath,
      workDir: join(folder, name),
      targets: [
        {
          kind: "text",
          key: "text",
          model: "transcription",
          ...(language !== undefined && { language }),
          files: [{ format: "json", path }],
        },
      ],
    },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  return JSON.parse(readFileSync(path, "utf8"));
}
