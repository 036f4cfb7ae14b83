import { findLikeliest, toLanguageProbabilities } from "../networks/whisper/language-probabilities.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import { STATE_FRAMES, type Whisper } from "../networks/whisper/whisper.ts";
import type { FloatTensor } from "../runtime/graph-session.ts";
import { makeWindow, type SpeechWindow, type WindowPiece } from "./speech-windows.ts";

/** How long and how sure a piece must be to count as another language than its neighbours. */
const MIN_FRAMES = 1.5 * SPEECH_RATE_HZ;
const SURE = 0.8;
/** More audio hardly improves language detection. */
const LISTEN_FRAMES = 6 * SPEECH_RATE_HZ;

/**
 * Splits a window in which the language changes, since the decoder would write all of it in one language. Most windows are returned unchanged,
 * because their first and last pieces agree.
 */
export async function splitByLanguage(
  whisper: Whisper,
  window: SpeechWindow,
  states: FloatTensor,
): Promise<SpeechWindow[]> {
  const long = window.pieces.filter(({ lengthFrames }) => lengthFrames >= MIN_FRAMES);
  const known = new Map<WindowPiece, string | undefined>();
  const detect = async (pieces: readonly WindowPiece[]) => {
    for (const piece of pieces) {
      if (!known.has(piece)) known.set(piece, await findSureLanguage(whisper, piece, states));
    }
  };
  await detect(long.length > 1 ? [...long.slice(0, 1), ...long.slice(-1)] : []);
  if (new Set(known.values()).size > 1) await detect(long);
  const groups: { language: string | undefined; pieces: WindowPiece[] }[] = [];
  for (const piece of window.pieces) {
    const language = known.get(piece);
    const last = groups.at(-1);
    if (
      last === undefined ||
      (language !== undefined && last.language !== undefined && language !== last.language)
    ) {
      groups.push({ language, pieces: [piece] });
    } else {
      last.pieces.push(piece);
      last.language ??= language;
    }
  }
  return groups.length === 1 ? [window] : groups.map(({ pieces }) => makeWindow(pieces));
}

async function findSureLanguage(
  whisper: Whisper,
  { windowFrame, lengthFrames }: WindowPiece,
  { data, shape }: FloatTensor,
): Promise<string | undefined> {
  const width = shape[2] ?? 0;
  const first = Math.floor(windowFrame / STATE_FRAMES);
  const count = Math.floor(Math.min(lengthFrames, LISTEN_FRAMES) / STATE_FRAMES);
  const part = { data: data.subarray(first * width, (first + count) * width), shape: [1, count, width] };
  const { startOfTranscript } = whisper.tokenizer;
  const answer = await whisper.startDecoding([part]).feed([[startOfTranscript]]);
  const [rates = new Float32Array()] = answer.rateNext(0);
  const { language, probability } = findLikeliest(toLanguageProbabilities(rates, whisper.tokenizer));
  return probability >= SURE ? language : undefined;
}
