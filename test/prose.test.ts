import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const PROJECT_DIR = join(import.meta.dirname, "..");
const MAX_LINE = 160;

/** Phrases that read like a translation, and what to write instead. */
const AVOIDED: readonly { phrase: RegExp; instead: string }[] = [
  { phrase: /\bmet an error\b/i, instead: "failed, or name the error" },
  { phrase: /\bsign of life\b/i, instead: "heartbeat" },
  { phrase: /\bmade ready\b/i, instead: "built, prepared" },
  { phrase: /\bthat nobody (knows|has)\b/i, instead: "unknown, could not be resolved" },
  { phrase: /\bhear(s|ing)? of (changes|it)\b/i, instead: "is notified, listens for" },
  { phrase: /\b(is|are|was|were) told\b(?! (apart|to))/i, instead: "is notified, reports, says" },
  { phrase: /\b(exact products|products (of|in) bytes)\b/i, instead: "int8 (VNNI/AMX)" },
  {
    phrase: /\b(lie|lies|lay) (under|below|in|beside|beyond|outside)\b/i,
    instead: "is stored in, is in, is below",
  },
  { phrase: /\bat work\b/i, instead: "running" },
  { phrase: /\bof (its|their) own\b/i, instead: "separate, its own …" },
  { phrase: / anew\b/i, instead: "again, from scratch; a network is rebuilt" },
  { phrase: /\b(go|goes|went|gone) on (behind|where|from|with)\b/i, instead: "resumes, continues" },
  { phrase: /\b(can't|cannot|can) be had\b/i, instead: "is unavailable, is available" },
  { phrase: /\bowed\b/i, instead: "due, pending" },
  { phrase: /\bin the mean\b/i, instead: "on average" },
  { phrase: /\bprocessor time\b/i, instead: "CPU time" },
  { phrase: /\bfor a moment\b/i, instead: "temporarily, briefly" },
  { phrase: /\bmend(s|ed)?\b/i, instead: "fix" },
  { phrase: /\btells? of\b/i, instead: "reports, shows" },
  { phrase: /\b(gives? how many|Raised whenever)\b/, instead: "returns how many, increase when" },
  { phrase: /\bseconds of the machine\b/i, instead: "seconds of work" },
  { phrase: /\bmakes? room\b/i, instead: "is evicted, is closed" },
  { phrase: /\bgives? (back|free)\b/i, instead: "returns, releases" },
  { phrase: /\bhear(s|d)? of\b/i, instead: "is notified, sees" },
  { phrase: /\btakes?n? apart\b/i, instead: "separates, splits" },
  { phrase: /\blook(s|ed)? into\b/i, instead: "probes, checks" },
  { phrase: /\bso many\b/i, instead: "this many, a limit" },
  { phrase: /\bknows no\b/i, instead: "does not support, ignores" },
  { phrase: /\b(where|when) absent\b/i, instead: "defaults to" },
  { phrase: /\btell (what|who|how)\b/i, instead: "list, show, return" },
  { phrase: /\bas the (service|client) (wrote|has) it\b/i, instead: "original, unmodified" },
  { phrase: /\bwrit(e|es|ing) down\b/i, instead: "transcribes, records" },
];

const listFiles = (...patterns: string[]) =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: PROJECT_DIR, encoding: "utf8" })
    .trim()
    .split("\n");
const readLines = (file: string) => readFileSync(join(PROJECT_DIR, file), "utf8").split("\n");

function* listPhrases(place: string, text: string): Generator<string> {
  for (const { phrase, instead } of AVOIDED) {
    const found = phrase.exec(text);
    if (found) yield `${place}: "${found[0].trim()}"; write: ${instead}`;
  }
}

function* listDocumentFaults(file: string): Generator<string> {
  let isCode = false;
  for (const [index, line] of readLines(file).entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    // A transcript shows what programs printed.
    if (isCode && file.startsWith("docs/transcripts/")) continue;
    const place = `${file}:${index + 1}`;
    if (line.length > MAX_LINE)
      yield `${place}: ${line.length} characters; wrap at ${MAX_LINE}, or split the table's cell`;
    if (!isCode) yield* listPhrases(place, line);
  }
}

/** Line comments, lines of block comments, and docstrings of one line. */
const COMMENT = /^\s*(?:\/\/|\/?\*|#|""")(.*)|\s(?:\/\/|#) (.*)/;

function* listCommentFaults(file: string): Generator<string> {
  for (const [index, line] of readLines(file).entries()) {
    const comment = COMMENT.exec(line);
    if (comment) yield* listPhrases(`${file}:${index + 1}`, comment[1] ?? comment[2] ?? "");
  }
}

/** Titles on the line of their call, or alone on the next one. */
const TITLE = /\b(?:it|test|describe)(?:\.\w+)?(?:\(.*\))?\(["`](.*)["`],|^\s*["`](\[[A-Z]+\d+\].*)["`],$/;

function* listTitleFaults(file: string): Generator<string> {
  for (const [index, line] of readLines(file).entries()) {
    const title = TITLE.exec(line);
    if (title) yield* listPhrases(`${file}:${index + 1}`, title[1] ?? title[2] ?? "");
  }
}

/** A line of text between tags. */
const JSX_TEXT = /^\s+[A-Z][^;={}()<>]*$/i;
/** Quoted text, and text between tags on one line. */
const STRING = /"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`|>([^<>{}]+)</g;

function* listStringFaults(file: string): Generator<string> {
  for (const [index, line] of readLines(file).entries()) {
    if (/^\s*(?:\/\/|\/?\*|#)/.test(line)) continue;
    const place = `${file}:${index + 1}`;
    if (file.endsWith(".tsx") && JSX_TEXT.test(line)) yield* listPhrases(place, line);
    for (const [, quoted, template, shown] of line.matchAll(STRING))
      yield* listPhrases(place, quoted ?? template ?? shown ?? "");
  }
}

function* listSqlFaults(file: string): Generator<string> {
  for (const [index, line] of readLines(file).entries())
    yield* listPhrases(`${file}:${index + 1}`, line.split("--")[1] ?? "");
}

it("documents are in plain English: no phrase we avoid, no line over 160 characters", () => {
  const faults = listFiles("*.md").flatMap((file) => [...listDocumentFaults(file)]);
  expect(faults, faults.join("\n")).toEqual([]);
});

it("comments have no phrase we avoid", () => {
  const faults = listFiles("*.ts", "*.tsx", "*.mjs", "*.py", "*.sh", "*.css").flatMap((file) => [
    ...listCommentFaults(file),
  ]);
  expect(faults, faults.join("\n")).toEqual([]);
});

it("test titles have no phrase we avoid", () => {
  const faults = listFiles("*.test.ts").flatMap((file) => [...listTitleFaults(file)]);
  expect(faults, faults.join("\n")).toEqual([]);
});

it("messages, descriptions and page texts have no phrase we avoid", () => {
  const files = listFiles("packages/*.ts", "packages/*.tsx", "clients/*.py", "scripts/*.ts").filter(
    (file) => !/\.test\.ts$|\/support\//.test(file),
  );
  const faults = files.flatMap((file) => [...listStringFaults(file)]);
  expect(files.length).toBeGreaterThan(500);
  expect(faults, faults.join("\n")).toEqual([]);
});

it("comments in SQL have no phrase we avoid", () => {
  const files = listFiles("packages/*.sql");
  const faults = files.flatMap((file) => [...listSqlFaults(file)]);
  expect(files.length).toBeGreaterThan(5);
  expect(faults, faults.join("\n")).toEqual([]);
});
