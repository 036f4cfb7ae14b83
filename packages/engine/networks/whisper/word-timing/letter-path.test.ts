import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLetterPath } from "./letter-path.ts";

type Spoken = { letters: number; stepsPerLetter: number; pauseSteps: number; isSpoken: boolean };

/** A text and its simulated attention: high for each letter where it is spoken, at chance level elsewhere. */
function speak(words: readonly Spoken[]) {
  const wordOfLetter = words.flatMap(({ letters }, word) => Array<number>(letters).fill(word));
  const spans: { start: number; end: number }[] = [];
  const letterAt: (number | undefined)[] = Array<undefined>(5).fill(undefined);
  let firstLetter = 0;
  for (const { letters, stepsPerLetter, pauseSteps, isSpoken } of words) {
    const start = letterAt.length;
    for (let step = 0; isSpoken && step < letters * stepsPerLetter; step++) {
      letterAt.push(firstLetter + Math.floor(step / stepsPerLetter));
    }
    spans.push({ start, end: letterAt.length });
    firstLetter += letters;
    for (let step = 0; step < pauseSteps; step++) letterAt.push(undefined);
  }
  const steps = letterAt.length;
  const chance = 0.5 / wordOfLetter.length;
  const shares = new Float32Array(wordOfLetter.length * steps).fill(chance);
  letterAt.forEach((letter, step) => {
    for (let n = 0; letter === undefined && n < wordOfLetter.length; n++)
      shares[n * steps + step] = 2 * chance;
    if (letter !== undefined) shares[letter * steps + step] = 0.5 + chance;
  });
  const voice = Float64Array.from(letterAt, (letter) => (letter === undefined ? 0.05 : 0.95));
  return { input: { shares, wordOfLetter, wordCount: words.length, voice }, spans };
}

const spokenWord = fc.record({
  letters: fc.integer({ min: 1, max: 9 }),
  stepsPerLetter: fc.integer({ min: 2, max: 9 }),
  pauseSteps: fc.oneof(fc.constant(0), fc.integer({ min: 4, max: 40 })),
  isSpoken: fc.constant(true),
});

describe("findLetterPath", () => {
  it("[Z3] times every word where it is spoken, excluding the pauses between words", () => {
    fc.assert(
      fc.property(fc.array(spokenWord, { minLength: 4, maxLength: 20 }), (words) => {
        const { input, spans } = speak(words);
        expect(findLetterPath(input).map((span) => span && { start: span.start, end: span.end })).toEqual(
          spans,
        );
      }),
    );
  });

  it("[Z4] skips words that are not spoken and still times the others", () => {
    const said = { letters: 6, stepsPerLetter: 7, pauseSteps: 0, isSpoken: true };
    const unsaid = { letters: 7, stepsPerLetter: 7, pauseSteps: 0, isSpoken: false };
    const { input, spans } = speak([said, said, unsaid, unsaid, said, unsaid, said, unsaid]);
    const found = findLetterPath(input);
    expect(found.map((span) => span !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
    for (const [index, span] of found.entries()) {
      if (span) expect([span.start, span.end]).toEqual([spans[index]?.start, spans[index]?.end]);
    }
    expect(found[0]?.share).toBeGreaterThan(0.5);
  });

  it("[Z4] of two words that get the attention of the same audio, skips the one that nobody could say so fast", () => {
    const [long, short] = [12, 6];
    const wordOfLetter = [...Array<number>(long).fill(0), ...Array<number>(short).fill(1)];
    const steps = 30;
    const shares = new Float32Array(wordOfLetter.length * steps).fill(0.001);
    for (let step = 0; step < steps; step++) {
      shares[Math.floor((step * long) / steps) * steps + step] = 0.53;
      shares[(long + Math.floor((step * short) / steps)) * steps + step] = 0.47;
    }
    const voice = new Float64Array(steps).fill(0.95);
    const found = findLetterPath({ shares, wordOfLetter, wordCount: 2, voice });
    expect(found.map((span) => span && [span.start, span.end])).toEqual([undefined, [0, steps]]);
  });

  it("[Z3] handles less audio than letters, and no audio", () => {
    const { input } = speak([{ letters: 9, stepsPerLetter: 1, pauseSteps: 0, isSpoken: false }]);
    expect(findLetterPath(input)).toHaveLength(1);
    const none = {
      shares: new Float32Array(),
      wordOfLetter: [0, 0],
      wordCount: 1,
      voice: new Float64Array(),
    };
    expect(findLetterPath(none)).toEqual([undefined]);
  });

  it("[Z3] stops in the text where the audio ends, if the search is open-ended", () => {
    const said = { letters: 5, stepsPerLetter: 6, pauseSteps: 0, isSpoken: true };
    const unsaid = { ...said, isSpoken: false };
    const { input, spans } = speak([said, said, said, unsaid, unsaid, unsaid, unsaid, unsaid]);
    const found = findLetterPath({ ...input, isOpenEnded: true });
    expect(found.map((span) => span?.start)).toEqual([
      ...spans.slice(0, 3).map((span) => span.start),
      ...Array<undefined>(5).fill(undefined),
    ]);
  });

  it("[Z3] if nothing but the text is spoken, speech before it belongs to its first word", () => {
    const { input, spans } = speak([spokenWordOf(1), ...[20, 20, 20].map(spokenWordOf)]);
    const start = spans[0]?.start ?? 0;
    const voice = input.voice.map((share, step) => (step >= start - 5 && step < start ? 0.99 : share));
    expect(findLetterPath({ ...input, voice })[0]?.start).toBe(start);
    expect(findLetterPath({ ...input, voice, isWhole: true })[0]?.start).toBe(start - 5);
  });

  it("[Z3] skips words without spoken letters", () => {
    const { input, spans } = speak([spokenWordOf(5), spokenWordOf(6)]);
    const wordOfLetter = input.wordOfLetter.map((word) => (word === 1 ? 2 : word));
    const found = findLetterPath({ ...input, wordOfLetter, wordCount: 4 });
    expect(found.map((span) => span?.start)).toEqual([
      spans[0]?.start,
      undefined,
      spans[1]?.start,
      undefined,
    ]);
  });
});

function spokenWordOf(letters: number): Spoken {
  return { letters, stepsPerLetter: 6, pauseSteps: 10, isSpoken: true };
}
