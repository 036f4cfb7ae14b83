import { MAX_WORDS, type TimedWord, type Words, type WordsEdit } from "@stemwright/contract";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import { getTextTarget, loadDocument, type WordsPorts } from "./load-words.ts";
import type { WordsLine } from "./words-record.ts";
import { toWords } from "./words-view.ts";

/** Times and the recording's length are rounded to the millisecond. */
const ROUNDING_SECONDS = 0.0015;

/** Stores a client's version beside the service's. */
export async function saveWords(
  ports: WordsPorts,
  task: TaskRecord,
  { targetId, edit }: { targetId: string; edit: WordsEdit },
): Promise<Words> {
  const target = getTextTarget(task, targetId);
  const { document } = await loadDocument(ports, task, target);
  const lines = checkLines(edit.lines, document.durationSeconds);
  const saved = await ports.words.saveEdit(target.id, {
    revision: edit.revision,
    document: { ...document, lines },
  });
  return toWords({ ...document, lines }, saved ?? (await refuseStale(ports, target.id, edit.revision)));
}

/** Reverts to the service's version. */
export async function dropEdit(ports: WordsPorts, task: TaskRecord, targetId: string): Promise<Words> {
  const target = getTextTarget(task, targetId);
  const current = await ports.words.findEdit(target.id);
  if (current && current.document !== null) {
    const { revision } = current;
    if (!(await ports.words.saveEdit(target.id, { revision, document: null })))
      await refuseStale(ports, target.id, revision);
  }
  const { document, edit } = await loadDocument(ports, task, target);
  return toWords(document, edit);
}

async function refuseStale(ports: WordsPorts, targetId: string, revision: number): Promise<never> {
  const current = (await ports.words.findEdit(targetId))?.revision ?? 0;
  throw new Refusal(
    "WORDS_CHANGED",
    `The edit is based on revision ${revision}, but the words are at ${current} by now; fetch them, and make the edit again`,
  );
}

/** Words must follow each other inside the recording; a line's last word ends with a line break. */
function checkLines(given: WordsEdit["lines"], durationSeconds: number): WordsLine[] {
  let behind = 0;
  let count = 0;
  return given.map(({ words, ...line }, at) => {
    const checked = words.map((word, n) => {
      const path = `lines[${at}].words[${n}]`;
      const fault = findFault(word, { behind, durationSeconds });
      if (fault !== undefined)
        refuseField("WORDS_INVALID", { path, message: `"${word.text.trim()}" ${fault}` });
      behind = word.end;
      count += 1;
      return word;
    });
    if (count > MAX_WORDS)
      refuseField("WORDS_INVALID", {
        path: `lines[${at}]`,
        message: `there are more than ${MAX_WORDS} words`,
      });
    return { ...line, words: endLine(checked, at === given.length - 1) };
  });
}

function findFault(
  { start, end, text }: TimedWord,
  place: { behind: number; durationSeconds: number },
): string | undefined {
  if (text.trim() === "") return "is no word; give it some text or leave it out";
  if (end < start) return `ends at ${end} s, before it starts at ${start} s`;
  if (start < place.behind)
    return `starts at ${start} s, before the word before it ends at ${place.behind} s`;
  if (end > place.durationSeconds + ROUNDING_SECONDS)
    return `ends at ${end} s, behind the recording's end at ${place.durationSeconds} s`;
  return undefined;
}

/** The text joins all words: without it lines would run together. */
function endLine(words: TimedWord[], isLast: boolean): TimedWord[] {
  const last = words.at(-1);
  if (!last || isLast) return words;
  const text = last.text.trimEnd();
  // Not `[\n\r]\s*$`, which takes the square of a word's leading line breaks.
  if (/[\n\r\u2028\u2029]/u.test(last.text.slice(text.length))) return words;
  return words.with(-1, { ...last, text: `${text}\n` });
}
