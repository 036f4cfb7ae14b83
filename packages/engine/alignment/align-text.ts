import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { EngineError } from "../engine-error.ts";
import type { LineLog } from "../files/line-log.ts";
import { WINDOW_SECONDS } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { fillTimes } from "../text/fill-times.ts";
import { keepOrder } from "../text/keep-order.ts";
import { normaliseWord } from "../text/normalise-word.ts";
import { splitWords } from "../text/split-words.ts";
import type { TimedText } from "../text/timed-text.ts";
import { anchorWords } from "./anchor-words.ts";
import { findUnrecognised } from "./find-unrecognised.ts";
import { type AlignedWord, type AlignmentContext, forceAlign } from "./force-align.ts";
import { markAnnotations } from "./lyrics-annotations.ts";
import { isSaid, retryGaps } from "./retry-gaps.ts";

/** Below this confidence it is another text: on TIMIT the right one scores 1.0, others 0.3 to 0.7. */
const MIN_CONFIDENCE = 0.75;

export type AlignmentWork = {
  text: string;
  /** The transcript of the recording. */
  spoken: TimedText;
  /** Mono at 16 kHz. */
  source: FrameSource;
  getWhisper(): Promise<Whisper>;
  /** Windows that a killed run has already searched. */
  log: Pick<LineLog<(AlignedWord | null)[]>, "entries" | "append">;
};

/**
 * Times every word of a given text. Runs of words that were recognised as written keep their times. The gaps are searched between their
 * neighbours, so only the parts where text and transcript differ run through the network again. What is not found there gets an
 * interpolated time and confidence 0.
 */
export async function alignText(work: AlignmentWork): Promise<TimedText> {
  const { spoken } = work;
  const lines = splitWords(work.text);
  const words = lines.flatMap((line) => line.words.map((word) => word.text));
  const said = spoken.lines.flatMap((line) => line.words);
  if (said.length === 0) return { ...spoken, lines: [] };
  const isAnnotation = markAnnotations(lines);
  const sung = words.map((word, n) => (isAnnotation[n] ? "" : word));
  const { recognised, estimated, isFitting } = anchorWords(
    sung,
    said,
    findUnrecognised(
      work.source,
      said.filter(({ text }) => isSaid(text)),
    ),
  );
  const found: (AlignedWord | undefined)[] = isFitting
    ? await retryGaps({ words: sung, recognised, estimated, context: startAlignment(work), ...spoken })
    : await searchWhole(work, sung);
  const placed = inOrder(sung, found);
  const times = fillTimes(placed, { ...spoken, estimated });
  const timed = words.map((text, index) => ({
    text,
    ...(times[index] ?? { startSeconds: 0, endSeconds: 0 }),
    confidence: placed[index]?.confidence ?? 0,
  }));
  let next = 0;
  const timedLines = lines.map((line) => {
    const first = next;
    next += line.words.length;
    return { words: timed.slice(first, next) };
  });
  return { ...spoken, lines: timedLines };
}

/** Only the words whose times agree with the order of the text. */
function inOrder(
  words: readonly string[],
  found: readonly (AlignedWord | undefined)[],
): (AlignedWord | undefined)[] {
  const kept = keepOrder(
    found.map(
      (word, n) =>
        word && {
          startSeconds: word.startSeconds,
          weight: word.confidence * normaliseWord(words[n] ?? "").length,
        },
    ),
  );
  return found.map((word, n) => (kept[n] ? word : undefined));
}

function startAlignment({ source, spoken, getWhisper, log }: AlignmentWork): AlignmentContext {
  return { source, language: spoken.metadata.language, getWhisper, log, windows: 0 };
}

/** For a text of which nothing was recognised: searches a recording that fits one window. */
async function searchWhole(
  work: AlignmentWork,
  words: readonly string[],
): Promise<(AlignedWord | undefined)[]> {
  const { durationSeconds } = work.spoken;
  if (durationSeconds <= WINDOW_SECONDS) {
    const span = { startSeconds: 0, endSeconds: durationSeconds };
    const found = await forceAlign(startAlignment(work), span, words);
    const confidence = found.reduce((sum, word) => sum + (word?.confidence ?? 0), 0) / words.length;
    if (confidence >= MIN_CONFIDENCE) return found;
  }
  throw new EngineError(
    "transcript-unusable",
    "The transcript does not fit the audio: hardly any of its words were recognised in it. Check that it is the text of this recording, in the language that is spoken.",
  );
}
