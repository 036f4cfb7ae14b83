import { beforeAll, describe, expect, it } from "vitest";
import { loadManifests } from "../../manifests/manifest.ts";
import { loadWhisper } from "./load-whisper.ts";
import { LogMel, MEL_SHAPE } from "./log-mel.ts";
import { makeTestSignal } from "./support/test-signal.ts";
import reference from "./support/whisper-tiny-reference.json" with { type: "json" };
import { STATE_COUNT, type Whisper } from "./whisper.ts";

let whisper: Whisper;

beforeAll(async () => {
  const manifest = loadManifests({ speechNetwork: "whisper-tiny" }).find(
    ({ family }) => family === "whisper",
  );
  if (manifest?.family !== "whisper") throw new Error("no manifest of whisper-tiny");
  whisper = await loadWhisper(manifest, { threads: 1 });
}, 30_000);

describe("[V1] Whisper's front end matches the reference implementation", () => {
  it("log-mel bands", () => {
    const bands = new Float32Array(MEL_SHAPE[0] * MEL_SHAPE[1]);
    new LogMel().compute(makeTestSignal(), bands);
    for (const { band, slot, value } of reference.mel) {
      expect(bands[band * MEL_SHAPE[1] + slot], `band ${band}, slot ${slot}`).toBeCloseTo(value, 3);
    }
  });

  it.each(reference.tokens)("tokens of $text, and the text again", ({ text, ids }) => {
    expect(whisper.tokenizer.encode(text)).toEqual(ids);
    expect(whisper.tokenizer.decode(ids)).toBe(text);
  });

  it("the tokenizer has a hundred languages and the command tokens", () => {
    const { languageIds, endOfText, startOfTranscript, transcribe, noSpeech, noTimestamps } =
      whisper.tokenizer;
    expect(languageIds.size).toBe(99);
    expect(languageIds.get("en")).toBe(50259);
    expect([endOfText, startOfTranscript, transcribe, noSpeech, noTimestamps]).toEqual([
      50257, 50258, 50359, 50362, 50363,
    ]);
  });
});

describe("[V1] Whisper's networks match the reference implementation", () => {
  it("encoder states", async () => {
    const { data, shape } = await whisper.encode(makeTestSignal());
    expect(shape).toEqual([1, STATE_COUNT, 384]);
    const values = reference.states.map(({ state, channel }) => data[state * 384 + channel] ?? Number.NaN);
    const expected = reference.states.map(({ value }) => value);
    // The reference quantizes the input of the first layers too: a fiftieth of the states' power is rounding.
    expect(correlate(Float32Array.from(values), Float32Array.from(expected))).toBeGreaterThan(0.995);
  });

  it("decoder logits and attention, fed in one call", async () => {
    const states = await whisper.encode(makeTestSignal());
    const answer = await whisper.startDecoding([states]).feed([reference.fed]);
    const rated = reference.logits.map(({ position, best }) => {
      const [logits = new Float32Array()] = answer.rateNext(position);
      const value = logits[best] ?? Number.NaN;
      // Summation order affects rounding to int8: another processor may rank a nearly equal token first.
      expect(Math.max(...logits) - value, `position ${position}`).toBeLessThan(0.5);
      return value;
    });
    const expected = reference.logits.map(({ bestValue }) => bestValue);
    expect(correlate(Float32Array.from(rated), Float32Array.from(expected))).toBeGreaterThan(0.99);
    for (const line of await whisper.startDecoding([states]).attend(reference.fed)) {
      expect(line).toHaveLength(reference.fed.length * STATE_COUNT);
      expect(line.subarray(0, STATE_COUNT).reduce((sum, value) => sum + value)).toBeCloseTo(1, 3);
    }
  });
});

describe("[V2] the decoder returns the same", () => {
  const fed = reference.fed;
  const start = fed.slice(0, 4);

  it("token by token as in one call, with several rows and with rows removed", async () => {
    const speech = await whisper.encode(makeTestSignal());
    const silence = await whisper.encode(new Float32Array(16000));
    const whole = await whisper.startDecoding([speech]).feed([fed]);
    const run = whisper.startDecoding([speech, silence, speech]);
    await run.feed([start, start, start]);
    run.dropRow(1);
    expect(run.rows).toBe(2);
    for (let position = start.length; position < fed.length; position++) {
      const token = [fed[position] ?? 0];
      const answer = await run.feed([token, token]);
      const [row = new Float32Array(), twin] = answer.rateNext(0);
      const [expected = new Float32Array()] = whole.rateNext(position);
      expect(twin).toEqual(row);
      // int8 products take their scale from everything fed at once, so how tokens are fed moves the logits a little.
      expect(correlate(row, expected)).toBeGreaterThan(0.95);
    }
  });
});

function correlate(a: Float32Array, b: Float32Array): number {
  const meanOf = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [meanOf(a), meanOf(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((value, n) => {
    const [x, y] = [value - meanA, (b[n] ?? 0) - meanB];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  });
  return ab / Math.sqrt(aa * bb);
}
