import type { Whisper } from "../../networks/whisper/whisper.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";

const RATE_HZ = 16_000;
const STATE_COUNT = 1500;
const STATE_FRAMES = 320;
export const LETTER_SECONDS = 0.06;
const SCALE = 2000;

export type Sung = { text: string; startSeconds: number };

/** Audio whose samples are the letters themselves, so that a test knows when each word is spoken. */
export function makeLetterSound(words: readonly Sung[], durationSeconds: number): Float32Array {
  const samples = new Float32Array(durationSeconds * RATE_HZ);
  for (const { text, startSeconds } of words) {
    Array.from(text).forEach((letter, n) => {
      const start = Math.round((startSeconds + n * LETTER_SECONDS) * RATE_HZ);
      samples.fill((letter.codePointAt(0) ?? 0) / SCALE, start, start + LETTER_SECONDS * RATE_HZ);
    });
  }
  return samples;
}

/** Recognises such audio: its states are letters, and its one timing head attends to wherever the current letter is. */
export function makeLetterWhisper(): { whisper: Whisper; encodedSeconds: number[] } {
  const encodedSeconds: number[] = [];
  const whisper = {
    tokenizer: {
      encode: (text: string) => [text.codePointAt(text.length - 1) ?? 0],
      languageIds: new Map([["en", 1]]),
      startOfTranscript: 2,
      transcribe: 3,
      noTimestamps: 4,
    },
    async encode(samples: Float32Array): Promise<FloatTensor> {
      encodedSeconds.push(samples.length / RATE_HZ);
      const data = Float32Array.from({ length: STATE_COUNT }, (_, state) =>
        Math.round((samples[state * STATE_FRAMES] ?? 0) * SCALE),
      );
      return { data, shape: [1, STATE_COUNT, 1] };
    },
    startDecoding: ([states]: readonly FloatTensor[]) => ({
      attend: async (tokens: readonly number[]) => [
        Float32Array.from(tokens.flatMap((token) => [...look(states?.data ?? new Float32Array(), token)])),
      ],
    }),
  };
  return { whisper: whisper as unknown as Whisper, encodedSeconds };
}

function look(states: Float32Array, token: number): Float32Array {
  const looks = states.map((state) => (state === token ? 1 : 1e-4));
  const sum = looks.reduce((total, value) => total + value, 0);
  return looks.map((value) => value / sum);
}
