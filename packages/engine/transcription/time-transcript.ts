import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { timeWords } from "../networks/whisper/word-timing/time-words.ts";
import type { FloatTensor } from "../runtime/graph-session.ts";
import { fillTimes } from "../text/fill-times.ts";
import { splitWords } from "../text/split-words.ts";
import type { TimedWord } from "../text/timed-text.ts";
import { toSimplified } from "../text/to-simplified.ts";
import { type SpeechWindow, toSourceSpan } from "./speech-windows.ts";
import { estimateConfidence } from "./word-confidence.ts";
import type { WindowTranscript } from "./write-transcripts.ts";

/** A word that was written but can't be found in the audio was probably not said. */
const ABSENT_FACTOR = 0.3;

/** If no word of a window reaches this confidence, there is no speech: key clicks became "Thanks" at 0.15. */
const MIN_SUREST = 0.2;

/** Whisper mixes simplified and traditional characters from window to window. */
const CHINESE = "zh";

/** Times a window's words in the recording; none if all are too uncertain. */
export async function timeTranscript(
  whisper: Whisper,
  window: SpeechWindow,
  draft: { transcript: WindowTranscript; states: FloatTensor; samples: Float32Array; isTranslated: boolean },
): Promise<TimedWord[]> {
  const { transcript, states, samples } = draft;
  const words = splitWords(transcript.text).flatMap((line) => line.words.map(({ text }) => text));
  if (words.length === 0) return [];
  const rates = estimateConfidence(words, transcript, whisper.tokenizer);
  const { language } = transcript;
  // A translation's letters are not in the audio, so its words are spread over the window.
  const alignedWords = draft.isTranslated
    ? words.map(() => undefined)
    : await timeWords(whisper, { states, samples, language, isWhole: true }, words);
  const times = fillTimes(alignedWords, { durationSeconds: samples.length / SPEECH_RATE_HZ });
  const timed = words.map((text, n) => {
    const isLast = n === words.length - 1;
    const written = language === CHINESE && !draft.isTranslated ? toSimplified(text) : text;
    return {
      text: isLast && isSpaced(text) ? `${written} ` : written,
      ...toSourceSpan(window, times[n] ?? { startSeconds: 0, endSeconds: 0 }),
      confidence:
        (rates[n] ?? 0) * (alignedWords[n] === undefined && !draft.isTranslated ? ABSENT_FACTOR : 1),
    };
  });
  return timed.some(({ confidence }) => confidence >= MIN_SUREST) ? timed : [];
}

/** Whether a space follows a sentence: in all scripts but Chinese and Japanese. */
function isSpaced(word: string): boolean {
  return !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
}
