import {
  averageLogProb,
  isDoubtful,
  isLooping,
  isRepeatedForSure,
  isSilent,
} from "../networks/whisper/transcript-checks.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { type WindowBatch, type WrittenWindow, writeWindows } from "../networks/whisper/write-windows.ts";
import type { FloatTensor } from "../runtime/graph-session.ts";

/** Tried in order while a window's text is doubtful, as in `whisper/transcribe.py`. */
const TEMPERATURES = [0.2, 0.4, 0.6, 0.8, 1];

/** The text of a window; no tokens if there is no speech, or if it was not understood (`isGarbled`). */
export type WindowTranscript = DraftedText & { isGarbled: boolean };

type DraftedText = WrittenWindow & { text: string };
type Draft = { states: FloatTensor; seconds: number; transcript: DraftedText };

/**
 * Transcribes several windows at once. A repetitive or improbable text is decoded again at higher temperatures; if nothing helps it is dropped,
 * unless the speaker really repeats himself.
 */
export async function writeTranscripts(
  whisper: Whisper,
  options: Omit<WindowBatch, "temperature">,
): Promise<WindowTranscript[]> {
  const drafts: Draft[] = [];
  for (const [row, window] of (await writeWindows(whisper, { ...options, temperature: 0 })).entries()) {
    const states = options.states[row];
    const seconds = options.seconds[row] ?? 0;
    if (states) drafts.push({ states, seconds, transcript: toText(whisper, window) });
  }
  for (const temperature of TEMPERATURES) {
    const doubtful = drafts.filter(({ transcript }) => isDoubtful(transcript, transcript.text));
    if (doubtful.length === 0) break;
    await improve(whisper, doubtful, { temperature, random: options.random, brief: options.brief });
  }
  return drafts.map(({ transcript }) => {
    const isGarbled = isDoubtful(transcript, transcript.text) && !isRepeatedForSure(transcript);
    return isSilent(transcript) || isGarbled
      ? { ...transcript, tokens: [], logProbs: [], text: "", isGarbled }
      : { ...transcript, isGarbled };
  });
}

async function improve(
  whisper: Whisper,
  drafts: readonly Draft[],
  options: Pick<WindowBatch, "temperature" | "random" | "brief">,
): Promise<void> {
  const languages = drafts.map(({ transcript }) => transcript.language);
  const written = await writeWindows(whisper, {
    ...options,
    states: drafts.map(({ states }) => states),
    seconds: drafts.map(({ seconds }) => seconds),
    expected: languages,
    chooseLanguages: () => languages,
  });
  drafts.forEach((draft, row) => {
    const window = written[row];
    if (window) draft.transcript = pickBetter(draft.transcript, toText(whisper, window));
  });
}

function toText({ tokenizer }: Whisper, window: WrittenWindow): DraftedText {
  return { ...window, text: tokenizer.decode(window.tokens).trim() };
}

function pickBetter(a: DraftedText, b: DraftedText): DraftedText {
  const loops = [isLooping(a, a.text), isLooping(b, b.text)];
  if (loops[0] !== loops[1]) return loops[0] ? b : a;
  return averageLogProb(b) > averageLogProb(a) ? b : a;
}
