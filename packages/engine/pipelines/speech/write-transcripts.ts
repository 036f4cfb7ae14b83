import type { LanguageProbabilities } from "../../models/whisper/language-probabilities.ts";
import { averageLogProb, isDoubtful, isLooping, isSilent } from "../../models/whisper/transcript-checks.ts";
import type { Whisper } from "../../models/whisper/whisper.ts";
import { type WrittenWindow, writeWindows } from "../../models/whisper/write-windows.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";

/** Tried one after the other while a window's text is doubtful, as `whisper/transcribe.py` does. */
const TEMPERATURES = [0.2, 0.4, 0.6, 0.8, 1];

/** The text of a window; without tokens where nobody speaks. */
export type Transcript = WrittenWindow & { text: string };

/**
 * Writes down several windows at once. A text that goes round in circles or is improbable is written again at higher temperatures;
 * one that nothing helps is left out rather than passed on.
 */
export async function writeTranscripts(
  whisper: Whisper,
  options: {
    states: readonly FloatTensor[];
    expected: readonly string[];
    chooseLanguages(heard: readonly LanguageProbabilities[]): readonly string[];
    random: () => number;
  },
): Promise<Transcript[]> {
  const { random } = options;
  const toTranscript = (window: WrittenWindow): Transcript => ({
    ...window,
    text: whisper.tokenizer.decode(window.tokens).trim(),
  });
  const first = await writeWindows(whisper, { ...options, temperature: 0 });
  const transcripts = first.map(toTranscript);
  for (const temperature of TEMPERATURES) {
    const again = transcripts.flatMap((transcript, row) =>
      isDoubtful(transcript, transcript.text) ? [row] : [],
    );
    if (again.length === 0) break;
    const languages = again.map((row) => transcripts[row]!.language);
    const written = await writeWindows(whisper, {
      states: again.map((row) => options.states[row]!),
      expected: languages,
      chooseLanguages: () => languages,
      temperature,
      random,
    });
    written.map(toTranscript).forEach((transcript, n) => {
      const row = again[n]!;
      transcripts[row] = pickBetter(transcripts[row]!, transcript);
    });
  }
  return transcripts.map((transcript) =>
    isSilent(transcript) || isLooping(transcript, transcript.text)
      ? { ...transcript, tokens: [], logProbs: [], text: "" }
      : transcript,
  );
}

function pickBetter(a: Transcript, b: Transcript): Transcript {
  const loops = [isLooping(a, a.text), isLooping(b, b.text)];
  if (loops[0] !== loops[1]) return loops[0] ? b : a;
  return averageLogProb(b) > averageLogProb(a) ? b : a;
}
