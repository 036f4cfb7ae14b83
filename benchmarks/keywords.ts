import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import type { TranscriptionOptions } from "../packages/engine/targets/engine-request.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import { countWordErrors } from "./speech/word-errors.ts";

/*
 * The effect of `prompt` and `keywords` on names and jargon. The sentences are spoken by espeak-ng, which must be in the PATH (available in Debian), in
 * two voices; names are counted as spelled. The second text contains none of the names: any that appear there were made up.
 */
const VOICES = ["en-us", "en-gb"];

const KEYWORDS = [
  "Siobhan",
  "Wojciechowski",
  "Nguyen",
  "Aoife",
  "Xiomara",
  "Stemwright",
  "Kubernetes",
  "htdemucs",
  "Kysely",
  "PostgreSQL",
  "Grafana",
  "Tchaikovsky",
  "Llanelli",
  "Worcestershire",
  "ONNX",
];

const NAMED = [
  "Siobhan and Aoife will present the new release of Stemwright on Monday.",
  "Professor Wojciechowski asked Xiomara to look at the Kubernetes cluster.",
  "Mister Nguyen moved the queue from Redis to PostgreSQL last week.",
  "The htdemucs model was exported to ONNX and runs without Python.",
  "We draw the numbers with Grafana, and Kysely builds the statements.",
  "Aoife drove from Llanelli to Worcestershire in less than three hours.",
  "The orchestra played Tchaikovsky, and Siobhan recorded every evening.",
  "Xiomara and Nguyen reviewed the change before Wojciechowski merged it.",
];

const NAMELESS = [
  "The weather was fine, and we walked along the river until the evening.",
  "She asked for a glass of water and a table near the window.",
  "The train to the north leaves at seven, and the next one an hour later.",
  "Nobody knew who had left the door open during the night.",
];

type Words = { text: string };
const folder = await makeTempDir("bench-keywords");
const engine = new EngineProcess();

function speak(name: string, sentences: readonly string[], voice: string): string {
  const path = join(folder, `${name}-${voice}.wav`);
  execFileSync("espeak-ng", ["-v", voice, "-s", "150", "-g", "8", "-w", path, sentences.join("\n\n")]);
  return path;
}

async function transcribe(inputPath: string, name: string, options: TranscriptionOptions): Promise<string> {
  const path = join(folder, `${name}.json`);
  const failures: unknown[] = [];
  await engine.run(
    {
      inputPath,
      workDir: join(folder, `${name}-work`),
      targets: [
        {
          kind: "text",
          key: "text",
          model: "transcription",
          language: "en",
          ...options,
          files: [{ format: "json", path }],
        },
      ],
    },
    { onTargetFailed: (_, error) => void failures.push(error) },
  );
  if (failures.length > 0) throw failures[0];
  return (JSON.parse(readFileSync(path, "utf8")) as Words).text;
}

const countNames = (text: string) =>
  KEYWORDS.reduce((sum, name) => sum + (text.match(new RegExp(`\\b${name}\\b`, "gi"))?.length ?? 0), 0);

const conditions: [string, TranscriptionOptions][] = [
  ["nothing", {}],
  [
    "prompt: a sentence with some of the names",
    { prompt: "Siobhan, Aoife, Xiomara, Nguyen and Wojciechowski work on Stemwright." },
  ],
  ["keywords: all of the names", { keywords: KEYWORDS }],
];
const lines = [
  "# Names and jargon: prompt and keywords",
  "",
  ...describeRun(),
  "",
  `whisper-small in int8, ${NAMED.length} sentences with ${countNames(NAMED.join(" "))} names and terms in each of ${VOICES.length} voices of espeak-ng. False positives: names found in ${NAMELESS.length} sentences without any.`,
  "",
  "| given | names right | of | WER % | false positives | WER % of those sentences |",
  "|---|---|---|---|---|---|",
];
for (const [index, [title, options]] of conditions.entries()) {
  let [right, madeUp, wrong, words, wrongNameless, wordsNameless] = [0, 0, 0, 0, 0, 0];
  for (const voice of VOICES) {
    const named = await transcribe(speak("named", NAMED, voice), `named-${voice}-${index}`, options);
    const nameless = await transcribe(
      speak("nameless", NAMELESS, voice),
      `nameless-${voice}-${index}`,
      options,
    );
    right += countNames(named);
    madeUp += countNames(nameless);
    const errors = countWordErrors(NAMED.join(" "), named);
    const errorsNameless = countWordErrors(NAMELESS.join(" "), nameless);
    wrong += errors.wrong;
    words += errors.of;
    wrongNameless += errorsNameless.wrong;
    wordsNameless += errorsNameless.of;
    process.stderr.write(`${title} ${voice}: ${named}\n${nameless}\n`);
  }
  const total = VOICES.length * countNames(NAMED.join(" "));
  const toPercent = (part: number, whole: number) => ((100 * part) / whole).toFixed(1);
  lines.push(
    `| ${[title, right, total, toPercent(wrong, words), madeUp, toPercent(wrongNameless, wordsNameless)].join(" | ")} |`,
  );
}
await engine.close();
await rm(folder, { recursive: true, force: true });
writeFileSync(join(import.meta.dirname, "results", "keywords.md"), `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
