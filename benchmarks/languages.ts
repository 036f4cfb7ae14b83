import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { readSound, writeSound } from "../packages/engine/pipelines/fixtures/sound-file.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import { countLetterErrors, countWordErrors } from "./speech/word-errors.ts";

/*
 * Transcription in several languages, the language not given: one folder a language, named by its code, with utterances as
 * `name.wav` (mono, float) and `name.txt`, and a line about them in `source.txt`. Utterances are joined with pauses of 0.7 s.
 */
const [, , recordingsDir] = process.argv;
if (recordingsDir === undefined) throw new Error("usage: npm run bench:languages -- <folder of languages>");
const PAUSE_SECONDS = 0.7;

type Heard = {
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
  "whisper-small in 8 bits, the language found out. Errors are counted without case, punctuation and accents; numbers as they are written.",
  "",
  "| language | minutes | words | WER % | letters wrong % | found | sure | recordings |",
  "|---|---|---|---|---|---|---|---|",
];
for (const language of readdirSync(recordingsDir).sort()) {
  const { inputPath, text, seconds } = joinUtterances(join(recordingsDir, language));
  const { text: heard, metadata } = await transcribe(inputPath, language);
  const words = countWordErrors(text, heard);
  const letters = countLetterErrors(text, heard);
  const spans = metadata.languageSpans?.map((span) => span.language) ?? [];
  const percent = ({ wrong, of }: { wrong: number; of: number }) => ((100 * wrong) / of).toFixed(1);
  lines.push(
    `| ${[
      language,
      (seconds / 60).toFixed(1),
      words.of,
      percent(words),
      percent(letters),
      [...new Set([metadata.language, ...spans])].join(", "),
      metadata.languageConfidence.toFixed(2),
      readFileSync(join(recordingsDir, language, "source.txt"), "utf8").trim(),
    ].join(" | ")} |`,
  );
  console.log(lines.at(-1));
}
writeFileSync(join(import.meta.dirname, "results/languages.md"), `${lines.join("\n")}\n`);
await engine.close();
await rm(folder, { recursive: true, force: true });

function joinUtterances(languageDir: string): { inputPath: string; text: string; seconds: number } {
  const names = readdirSync(languageDir).filter((name) => name.endsWith(".wav"));
  const sounds = names.map((name) => readSound(join(languageDir, name)));
  const sampleRateHz = sounds[0]?.sampleRateHz ?? 0;
  const pause = new Float32Array(PAUSE_SECONDS * sampleRateHz);
  const parts = sounds.flatMap(({ planes }) => [planes[0] ?? pause, pause]);
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  const inputPath = join(folder, "speech.wav");
  writeSound(inputPath, [samples], sampleRateHz);
  const texts = names.map((name) => readFileSync(join(languageDir, name.replace(/wav$/, "txt")), "utf8"));
  return { inputPath, text: texts.join(" "), seconds: samples.length / sampleRateHz };
}

async function transcribe(inputPath: string, language: string): Promise<Heard> {
  const path = join(folder, `${language}.json`);
  await engine.run(
    {
      inputPath,
      workDir: join(folder, language),
      targets: [{ kind: "text", key: "text", model: "transcription", files: [{ format: "json", path }] }],
    },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  return JSON.parse(readFileSync(path, "utf8"));
}
