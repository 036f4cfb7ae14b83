import { type Gap, MAX_GAP_SECONDS, type Realignment, TARGET_ERRORS } from "@stemwright/contract";
import { makeId } from "../ids.ts";
import { SPEECH_LANGUAGES } from "../models/speech-languages.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { countLeadSeconds } from "../tasks/audio-offset.ts";
import { toLanguageCode } from "../tasks/language-code.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import { getTextTarget, loadDocument, type WordsPorts } from "./load-words.ts";
import type { GapWork, NewRealignment, RealignmentRecord } from "./realignment-record.ts";
import type { WordsDocument } from "./words-record.ts";
import { toTimedLine } from "./words-view.ts";

/** Nearby words on each side that are aligned with the gap, so that its edges are found. */
const CONTEXT_WORDS = 4;
const CONTEXT_SECONDS = 5;
const ROUNDING_SECONDS = 0.0015;
const DEFAULT_LANGUAGE = "en";

/** Collects everything needed to time a gap of a target's words. */
export async function prepareRealignment(
  ports: WordsPorts,
  task: TaskRecord,
  { targetId, gap }: { targetId: string; gap: Gap },
): Promise<NewRealignment> {
  const target = getTextTarget(task, targetId);
  const { document } = await loadDocument(ports, task, target);
  const { start, end, text } = gap;
  checkSpan(gap, { audioSeconds: countLeadSeconds(target), durationSeconds: document.durationSeconds });
  return {
    id: makeId(),
    clientId: task.clientId,
    taskId: task.id,
    targetId: target.id,
    gap: {
      ...{ start, end, text },
      language: findLanguage(gap, [document.metadata.language, target.language]),
      ...findContext(document, { start, end }),
    },
  };
}

function checkSpan(
  { start, end }: Gap,
  { audioSeconds, durationSeconds }: { audioSeconds: number; durationSeconds: number },
): void {
  if (end <= start)
    refuseField("WORDS_INVALID", {
      path: "end",
      message: `The gap ends at ${end} s; it has to end behind its start`,
    });
  if (end - start > MAX_GAP_SECONDS)
    refuseField("WORDS_INVALID", {
      path: "end",
      message: `The gap has ${(end - start).toFixed(1)} s; align at most ${MAX_GAP_SECONDS} s at once`,
    });
  if (audioSeconds > 0 && end <= audioSeconds)
    refuseField("WORDS_INVALID", {
      path: "end",
      message: `The gap ends at ${end} s, before the audio starts at ${audioSeconds.toFixed(3)} s`,
    });
  if (end > durationSeconds + ROUNDING_SECONDS)
    refuseField("WORDS_INVALID", {
      path: "end",
      message: `The gap ends at ${end} s, behind the recording's end at ${durationSeconds} s`,
    });
}

/** A requested language must be supported; one that the service wrote itself is. */
function findLanguage({ language }: Gap, known: readonly (string | undefined)[]): string {
  if (language === undefined) {
    const code = known.find((candidate) => candidate !== undefined) ?? DEFAULT_LANGUAGE;
    return toLanguageCode(code);
  }
  const code = toLanguageCode(language);
  if (!SPEECH_LANGUAGES.includes(code))
    refuseField("LANGUAGE_UNSUPPORTED", {
      path: "language",
      message: `The language "${language}" is not known. Must be one of ${SPEECH_LANGUAGES.join(", ")}`,
    });
  return code;
}

function findContext(
  { lines }: WordsDocument,
  { start, end }: { start: number; end: number },
): Pick<GapWork, "before" | "after"> {
  const words = lines.flatMap((line) => line.words).map(({ text, start, end }) => ({ text, start, end }));
  const before = words.filter(
    (word) => word.end <= start + ROUNDING_SECONDS && word.start >= start - CONTEXT_SECONDS,
  );
  const after = words.filter(
    (word) => word.start >= end - ROUNDING_SECONDS && word.end <= end + CONTEXT_SECONDS,
  );
  return { before: before.slice(-CONTEXT_WORDS), after: after.slice(0, CONTEXT_WORDS) };
}

export const makeTooManyError = () =>
  new Refusal(
    "REALIGNMENTS_TOO_MANY",
    "Too many gaps wait to be aligned; wait for those under way, or cancel some",
  );

export function toRealignment(record: RealignmentRecord): Realignment {
  const { id, createdAt, lines, isAbandoned } = record;
  const { code, when } = TARGET_ERRORS.ABANDONED;
  const error = isAbandoned ? { code, message: when } : record.error;
  return {
    id,
    status: isAbandoned ? "error" : record.status,
    createdAt: createdAt.toISOString(),
    ...(lines ? { lines: lines.map(toTimedLine) } : {}),
    ...(error ? { error } : {}),
  };
}
