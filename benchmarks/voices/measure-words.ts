import { joinSamples } from "../../packages/engine/support/join-samples.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "../align/load-timit.ts";
import { countWordErrors } from "../speech/word-errors.ts";
import type { Figures } from "./figures.ts";
import type { VoicesBench } from "./take-apart.ts";

const SENTENCES = 3;
const MIXTURES = 12;

type WordErrors = { words: number; inMixture: number; inVoices: number; alone: number };

/** A row on pairs of TIMIT speakers who say three sentences each at once: word errors in the mixture, in the voices, and in each speaker alone. */
export async function measureWords(bench: VoicesBench, folder: string, figures: Figures): Promise<string> {
  const speakers = [...Map.groupBy(loadTimit(folder), ({ speaker }) => speaker).values()];
  const total: WordErrors = { words: 0, inMixture: 0, inVoices: 0, alone: 0 };
  for (let number = 0; number < MIXTURES; number++) {
    const lap = Math.floor(number / speakers.length);
    const pick = (index: number) =>
      (speakers[index % speakers.length] ?? []).slice(lap * SENTENCES, (lap + 1) * SENTENCES);
    const pair = [pick(number), pick(number + 1 + lap)] as const;
    const errors = await figures.measure(`words ${number}`, () => measurePair(bench, pair));
    for (const field of ["words", "inMixture", "inVoices", "alone"] as const) total[field] += errors[field];
  }
  const rate = (wrong: number) => `${((100 * wrong) / total.words).toFixed(1)} %`;
  return `Words wrong, ${MIXTURES} mixtures of two of TIMIT's speakers at once, ${total.words} words:\n${rate(total.inMixture)} in the mixtures, ${rate(total.inVoices)} in the separated voices, ${rate(total.alone)} in each voice before mixing.`;
}

async function measurePair(
  bench: VoicesBench,
  pair: readonly [TimitUtterance[], TimitUtterance[]],
): Promise<WordErrors> {
  const texts = pair.map((sentences) => sentences.map(({ text }) => text).join(" ")) as [string, string];
  const [a, b] = pair.map((sentences) => toLevel(joinSamples(sentences.map(({ samples }) => samples)))) as [
    Float32Array,
    Float32Array,
  ];
  const mix = new Float32Array(Math.max(a.length, b.length)).map((_, n) => (a[n] ?? 0) + (b[n] ?? 0));
  const transcribePlane = async (plane: Float32Array) =>
    bench.transcribe(bench.write("recognised", plane, TIMIT_RATE_HZ));
  const wrong = (reference: string, text: string) => countWordErrors(reference, text).wrong;
  const recognised = await transcribePlane(mix);
  const { planes } = await bench.takeApart(bench.write("mix", mix, TIMIT_RATE_HZ), "two_speaker");
  const [first = new Float32Array(), second = new Float32Array()] = planes;
  const voices = [await transcribePlane(first), await transcribePlane(second)] as const;
  return {
    words: countWordErrors(texts.join(" "), "").of,
    // Both texts, in whichever order fits better.
    inMixture: Math.min(wrong(texts.join(" "), recognised), wrong(texts.toReversed().join(" "), recognised)),
    inVoices: Math.min(
      wrong(texts[0], voices[0]) + wrong(texts[1], voices[1]),
      wrong(texts[0], voices[1]) + wrong(texts[1], voices[0]),
    ),
    alone: wrong(texts[0], await transcribePlane(a)) + wrong(texts[1], await transcribePlane(b)),
  };
}

function toLevel(samples: Float32Array): Float32Array {
  const rms = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
  return samples.map((value) => (0.05 * value) / rms);
}
