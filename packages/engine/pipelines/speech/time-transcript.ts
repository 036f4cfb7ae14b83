import { SAMPLE_RATE_HZ } from "../../models/whisper/log-mel.ts";
import type { Whisper } from "../../models/whisper/whisper.ts";
import { type HeardWord, timeWords } from "../../models/whisper/word-timing/time-words.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";
import { splitWords } from "../../text/split-words.ts";
import type { TimedWord } from "../../text/timed-text.ts";
import { rateWords } from "./rate-words.ts";
import { type SpeechWindow, toSourceSpan } from "./speech-windows.ts";
import type { Transcript } from "./write-transcripts.ts";

/** A word that was written but cannot be found in the sound is probably not in it. */
const UNHEARD_FACTOR = 0.3;

/** The words of a window's transcript with their times in the recording. */
export async function timeTranscript(
  whisper: Whisper,
  window: SpeechWindow,
  heard: { transcript: Transcript; states: FloatTensor; samples: Float32Array },
): Promise<TimedWord[]> {
  const { transcript, states, samples } = heard;
  const words = splitWords(transcript.text).flatMap((line) => line.words.map(({ text }) => text));
  if (words.length === 0) return [];
  const rates = rateWords(words, transcript, whisper.tokenizer);
  const { language } = transcript;
  const times = fillTimes(await timeWords(whisper, { states, samples, language }, words), {
    durationSeconds: samples.length / SAMPLE_RATE_HZ,
  });
  return words.map((text, n) => {
    const { startSeconds, endSeconds, isHeard } = times[n] ?? {
      startSeconds: 0,
      endSeconds: 0,
      isHeard: false,
    };
    return {
      text: n === words.length - 1 ? `${text}${isSpaced(text) ? " " : ""}` : text,
      ...toSourceSpan(window, { startSeconds, endSeconds }),
      confidence: (rates[n] ?? 0) * (isHeard ? 1 : UNHEARD_FACTOR),
    };
  });
}

type FilledTime = { startSeconds: number; endSeconds: number; isHeard: boolean };

/** Words that were not found share the time between those that were. */
function fillTimes(
  words: readonly (HeardWord | undefined)[],
  { durationSeconds }: { durationSeconds: number },
): FilledTime[] {
  const times: FilledTime[] = [];
  let index = 0;
  while (index < words.length) {
    const word = words[index];
    if (word !== undefined) {
      times.push({ ...word, isHeard: true });
      index += 1;
      continue;
    }
    const next = words.findIndex((candidate, n) => n > index && candidate !== undefined);
    const count = (next < 0 ? words.length : next) - index;
    const from = times.at(-1)?.endSeconds ?? 0;
    const to = Math.max(from, words[next]?.startSeconds ?? durationSeconds);
    for (let n = 0; n < count; n++) {
      const at = (part: number) => from + ((to - from) * part) / count;
      times.push({ startSeconds: at(n), endSeconds: at(n + 1), isHeard: false });
    }
    index += count;
  }
  return times;
}

/** Whether the word is of a script that puts spaces between words. */
function isSpaced(word: string): boolean {
  return !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    word,
  );
}
