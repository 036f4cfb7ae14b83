import { SAMPLE_RATE_HZ } from "../../networks/whisper/log-mel.ts";
import type { Whisper } from "../../networks/whisper/whisper.ts";
import { timeWords } from "../../networks/whisper/word-timing/time-words.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";
import { fillTimes } from "../../text/fill-times.ts";
import { splitWords } from "../../text/split-words.ts";
import type { TimedWord } from "../../text/timed-text.ts";
import { toSimplified } from "../../text/to-simplified.ts";
import { rateWords } from "./rate-words.ts";
import { type SpeechWindow, toSourceSpan } from "./speech-windows.ts";
import type { Transcript } from "./write-transcripts.ts";

/** A word that was written but cannot be found in the sound is probably not in it. */
const UNHEARD_FACTOR = 0.3;

/** If no word of a window reaches this confidence, there is no speech: clicking keys gave "Thanks" at 0.15. */
const SUREST_MIN = 0.2;

/** Its texts come in simplified or traditional characters, or both, from window to window. */
const CHINESE = "zh";

/** The words of a window's transcript with their times in the recording; none where all are too unsure. */
export async function timeTranscript(
  whisper: Whisper,
  window: SpeechWindow,
  heard: { transcript: Transcript; states: FloatTensor; samples: Float32Array; isTranslated: boolean },
): Promise<TimedWord[]> {
  const { transcript, states, samples } = heard;
  const words = splitWords(transcript.text).flatMap((line) => line.words.map(({ text }) => text));
  if (words.length === 0) return [];
  const rates = rateWords(words, transcript, whisper.tokenizer);
  const { language } = transcript;
  // The letters of a translation are not in the sound: its words are spread over the window.
  const heardWords = heard.isTranslated
    ? words.map(() => undefined)
    : await timeWords(whisper, { states, samples, language, isWhole: true }, words);
  const times = fillTimes(heardWords, { durationSeconds: samples.length / SAMPLE_RATE_HZ });
  const timed = words.map((text, n) => {
    const isLast = n === words.length - 1;
    const written = language === CHINESE && !heard.isTranslated ? toSimplified(text) : text;
    return {
      text: isLast && isSpaced(text) ? `${written} ` : written,
      ...toSourceSpan(window, times[n] ?? { startSeconds: 0, endSeconds: 0 }),
      confidence: (rates[n] ?? 0) * (heardWords[n] === undefined && !heard.isTranslated ? UNHEARD_FACTOR : 1),
    };
  });
  return timed.some(({ confidence }) => confidence >= SUREST_MIN) ? timed : [];
}

/** Whether a space follows the word where another sentence does: all scripts but those of Chinese and Japanese have one there. */
function isSpaced(word: string): boolean {
  return !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
}
