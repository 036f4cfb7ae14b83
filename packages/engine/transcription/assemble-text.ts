import { type FrameSource, toWrittenSeconds } from "../dsp/sources/frame-source.ts";
import type { TranscriptionOptions } from "../targets/engine-request.ts";
import { fillTimes } from "../text/fill-times.ts";
import type { TextMetadata, TimedText, TimedWord } from "../text/timed-text.ts";
import { breakLines } from "./break-lines.ts";
import { makeTally } from "./language-tally.ts";
import type { SpokenWindow } from "./spoken-window.ts";

/** The only language the networks translate into. */
const TRANSLATION = "en";

/** Joins the windows of a recording into one text. */
export function assembleText(
  windows: readonly SpokenWindow[],
  options: {
    recording: Pick<FrameSource, "lengthFrames" | "sampleRateHz">;
    model: string;
    options: TranscriptionOptions;
  },
): TimedText {
  const { recording, model } = options;
  const { language, translate } = options.options;
  const durationSeconds = toWrittenSeconds(recording);
  const spoken = windows.filter(({ words }) => words.length > 0);
  const { main } = makeTally(spoken);
  const metadata: TextMetadata = {
    language: language ?? main.language,
    languageConfidence: language === undefined ? main.confidence : 1,
    model,
    ...(translate ? { translatedTo: TRANSLATION } : {}),
  };
  const words = inOrder(
    spoken.flatMap((window) => window.words),
    durationSeconds,
  );
  const spans = listLanguageSpans(spoken, words);
  const isMixed = spans.some((span) => span.language !== metadata.language);
  return {
    lines: breakLines(words),
    durationSeconds,
    metadata: isMixed ? { ...metadata, languageSpans: spans } : metadata,
  };
}

/** Neighbouring words may touch but not overlap. */
function inOrder(words: readonly TimedWord[], durationSeconds: number): TimedWord[] {
  const times = fillTimes(words, { durationSeconds });
  return words.map((word, n) => ({ ...word, ...times[n] }));
}

/** `words` are those of all windows, in order. */
function listLanguageSpans(
  windows: readonly SpokenWindow[],
  words: readonly TimedWord[],
): NonNullable<TextMetadata["languageSpans"]> {
  const spans: NonNullable<TextMetadata["languageSpans"]> = [];
  let behind = 0;
  for (const window of windows) {
    const { language } = window;
    const confidence = new Map(window.languages).get(language) ?? 0;
    const start = words[behind]?.startSeconds ?? 0;
    behind += window.words.length;
    const end = words[behind - 1]?.endSeconds ?? start;
    const last = spans.at(-1);
    if (last?.language === language) {
      last.end = end;
      last.confidence = Math.min(last.confidence, confidence);
    } else spans.push({ start, end, language, confidence });
  }
  return spans;
}
