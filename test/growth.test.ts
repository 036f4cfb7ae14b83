import { expect, it } from "vitest";
import { TEXT_OUTPUT_FORMATS, taskRequest, wordsEdit } from "../packages/contract/index.ts";
import { anchorWords } from "../packages/engine/alignment/anchor-words.ts";
import { markAnnotations } from "../packages/engine/alignment/lyrics-annotations.ts";
import { retryGaps } from "../packages/engine/alignment/retry-gaps.ts";
import { fillTimes } from "../packages/engine/text/fill-times.ts";
import { keepOrder } from "../packages/engine/text/keep-order.ts";
import { findCommonRuns } from "../packages/engine/text/match-words.ts";
import { parseTranscript } from "../packages/engine/text/parse-transcript.ts";
import { splitWords } from "../packages/engine/text/split-words.ts";
import type { TimedText, TimedWord } from "../packages/engine/text/timed-text.ts";
import { writeText } from "../packages/engine/text/write-text.ts";
import { breakLines } from "../packages/engine/transcription/break-lines.ts";
import { toContentDisposition } from "../packages/server/domain/content-disposition.ts";
import { saveWords } from "../packages/server/domain/words/edit-words.ts";
import { toRequestError } from "../packages/server/http/errors/error-mapper.ts";
import { isNestedTooDeep, withoutNulls } from "../packages/server/http/requests/without-nulls.ts";
import { findEncoding } from "../packages/server/http/responses/compression.ts";
import { isKnownTag } from "../packages/server/http/responses/not-modified.ts";

const SIZE = 300;
/** Work in proportion to its input grows tenfold with it, give or take what the machine adds; its square a hundredfold. */
const MAX_GROWTH = 30;
const ATTEMPTS = 4;
const MEASURED_MS = 5;

/** Of this thread, so that other processes don't count. */
function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** CPU time of one run, the mean of as many as can be measured. */
async function measureRunMs(run: () => unknown): Promise<number> {
  const startMs = readCpuMs();
  let runs = 0;
  while (readCpuMs() - startMs < MEASURED_MS || runs === 0) {
    await run();
    runs++;
  }
  return (readCpuMs() - startMs) / runs;
}

/** How many times the work grows from 10 to 100 times the size; the least of several attempts, since a busy machine only adds. */
async function measureGrowth<Input>(make: (size: number) => Input, run: (input: Input) => unknown) {
  const [small, large] = [make(10 * SIZE), make(100 * SIZE)];
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && growth > MAX_GROWTH; attempt++) {
    const smallMs = await measureRunMs(() => run(small));
    growth = Math.min(growth, (await measureRunMs(() => run(large))) / smallMs);
  }
  return growth;
}

/** The same numbers each time. */
function makeNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function makeWords(count: number, vocabulary = 50_000): string[] {
  const next = makeNumbers();
  return Array.from({ length: count }, () => `w${Math.floor(next() * vocabulary).toString(36)} `);
}

const speak = (words: readonly string[]): TimedWord[] =>
  words.map((text, n) => ({ text, startSeconds: n * 0.3, endSeconds: n * 0.3 + 0.25, confidence: 0.9 }));

const toText = (lines: TimedText["lines"]): TimedText => ({
  lines,
  durationSeconds: 1e6,
  metadata: { language: "en", languageConfidence: 1, model: "test" },
});

const bytes = (text: string) => new TextEncoder().encode(text);
const times = (size: number, text: string) => text.repeat(Math.ceil(size / text.length));
/** Every other word recognised; the others are too long for the time between, so nothing is searched. */
const makeGaps = (size: number, isRecognised: (word: number) => boolean) => ({
  words: Array.from({ length: size }, (_, n) =>
    isRecognised(n) ? "word " : n % 2 === 0 ? "— " : times(90, "gap "),
  ),
  recognised: Array.from({ length: size }, (_, n) => (isRecognised(n) ? speak(["word "])[0] : undefined)),
  estimated: new Array(size).fill(undefined),
  durationSeconds: 1,
  context: undefined as never,
});

async function save(text: string) {
  const document = { lines: [], metadata: {}, durationSeconds: 10 };
  const record = { revision: 1, updatedAt: new Date(0), document };
  const words = { findEdit: async () => record, saveEdit: async () => record };
  const target = { id: "t", model: "transcription", status: "completed" };
  const lines = [text, "end"].map((word) => ({ words: [{ start: 0, end: 0, text: word, confidence: 1 }] }));
  await saveWords({ words, blobs: undefined as never }, { targets: [target] } as never, {
    targetId: "t",
    edit: { revision: 1, lines },
  });
}

const findIssues = (schema: typeof taskRequest | typeof wordsEdit) => (body: unknown) =>
  JSON.stringify(toRequestError(schema.safeParse(body).error?.issues ?? []).details);

type Growing<Input = unknown> = {
  what: string;
  make(size: number): Input;
  run(input: Input): unknown;
};
const growing = <Input>(what: string, make: (size: number) => Input, run: (input: Input) => unknown) =>
  ({ what, make, run }) as Growing;

const CASES: Growing[] = [
  growing("a text of line breaks", (size) => `${times(size, "\n")}x`, splitWords),
  growing("a text of spaces", (size) => `a${times(size, " ")}x`, splitWords),
  growing("a text of words", (size) => makeWords(size).join(""), splitWords),
  growing("a text of Chinese signs", (size) => `字${times(size, "。")}`, splitWords),
  growing("a text of opening brackets", (size) => `字${times(size, "「")}`, splitWords),
  growing("a text of Chinese", (size) => times(size, "我来到北京清华大学"), splitWords),
  growing("a text of Thai and Latin", (size) => times(size, "ไa"), splitWords),
  growing("a text of accents", (size) => `字${times(size, "\u0301")}`, splitWords),
  growing("a transcript of brackets", (size) => bytes(times(size, "[")), parseTranscript),
  growing("a transcript of white space", (size) => bytes(`${times(size, " ")}x`), parseTranscript),
  growing(
    "a transcript of json lines",
    (size) => bytes(JSON.stringify({ lines: new Array(size).fill("a\n") })),
    parseTranscript,
  ),
  growing(
    "a transcript of json words",
    (size) => bytes(JSON.stringify({ lines: [{ words: new Array(size).fill({ word: "a" }) }] })),
    parseTranscript,
  ),
  growing("a heading that never ends", (size) => splitWords(`[${makeWords(size).join("")}`), markAnnotations),
  growing("gaps between recognised words", (size) => makeGaps(size, (n) => n % 2 === 0), retryGaps),
  growing("gaps between dashes", (size) => makeGaps(size, (n) => n === 0), retryGaps),
  growing(
    "words without times",
    (size) => new Array(size).fill(undefined),
    (spans: undefined[]) => fillTimes(spans, { durationSeconds: 100, estimated: spans }),
  ),
  growing(
    "words in a wild order",
    (size) =>
      Array.from({ length: size }, makeNumbers()).map((startSeconds) => ({ startSeconds, weight: 1 })),
    keepOrder,
  ),
  growing("equal texts", makeWords, (words) => findCommonRuns(words, words)),
  growing(
    "texts with every fourth word of their own",
    (size) =>
      [0, 1].map((text) => Array.from({ length: size }, (_, n) => (n % 4 === 3 ? `${text}-${n}` : `${n}`))),
    ([one = [], other = []]) => findCommonRuns(one, other),
  ),
  growing("a text and its recognised words", makeWords, (words) => anchorWords(words, speak(words))),
  growing("a text and one recognised word", makeWords, (words) => anchorWords(words, speak(["word "]))),
  growing(
    "one word of many letters",
    (size) => [times(size, "abcdefg")],
    (words) => anchorWords(words, speak(words)),
  ),
  growing("lines of a transcript", (size) => speak(makeWords(size)), breakLines),
  ...TEXT_OUTPUT_FORMATS.flatMap((format) => [
    growing(
      `${format} of one line`,
      (size) => toText([{ words: speak(makeWords(size)) }]),
      (text) => writeText(text, format),
    ),
    growing(
      `${format} of lines of a word`,
      (size) => toText(speak(makeWords(size)).map((word) => ({ words: [word] }))),
      (text) => writeText(text, format),
    ),
    growing(
      `${format} of a single word`,
      (size) => toText([{ words: speak([times(size, "abc")]) }]),
      (text) => writeText(text, format),
    ),
  ]),
  growing("an edited word of line breaks", (size) => `${times(size, "\n")}x`, save),
  growing("a body of nulls", (size) => new Array(size).fill({ a: null, b: 1 }), withoutNulls),
  growing(
    "a body of brackets",
    (size) => JSON.parse(`${times(size, "[")}${times(size, "]")}`),
    isNestedTooDeep,
  ),
  growing(
    "a Task's targets that are none",
    (size) => ({ targets: new Array(size).fill(1) }),
    findIssues(taskRequest),
  ),
  growing(
    "edited words that are none",
    (size) => ({ revision: 1, lines: [{ words: new Array(size).fill(1) }] }),
    findIssues(wordsEdit),
  ),
  growing("a list of encodings", (size) => times(size, "gzip;q=1,"), findEncoding),
  growing(
    "a list of tags",
    (size) => times(size, '"a" ,'),
    (header) => isKnownTag(header, '"b"'),
  ),
  growing(
    "a file name",
    (size) => times(size, 'é%" '),
    (name) => toContentDisposition("a.wav", name),
  ),
];

it.each(CASES)("[E11] the work for $what grows in proportion to its size", async ({ make, run }) => {
  expect(await measureGrowth(make, run)).toBeLessThan(MAX_GROWTH);
});
