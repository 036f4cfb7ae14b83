import { beforeAll, describe, expect, it, vi } from "vitest";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { ArraySource } from "../dsp/sources/array-source.ts";
import { EngineError } from "../engine-error.ts";
import { loadManifests } from "../manifests/manifest.ts";
import { NetworkStore } from "../networks/network-store.ts";
import { joinSamples } from "../support/join-samples.ts";
import { TargetOutcomes } from "../targets/target-outcomes.ts";
import { makeNoiseHalver } from "./halve-noise.ts";
import { FIXTURE_RATE_HZ, readFixture } from "./support/read-fixture.ts";

const RATE_HZ = 16_000;
const manifests = loadManifests();
const outcomes = new TargetOutcomes({ report: {}, previews: undefined, common: { durationSeconds: 0 } });
const pause = new Float32Array(RATE_HZ);
const random = makeSeededRandom(3);
let speech: Float32Array;
let noise: Float32Array;

beforeAll(async () => {
  const recording = new ArraySource([await readFixture("english.opus")], FIXTURE_RATE_HZ);
  const source = toSampleRate(recording, { sampleRateHz: RATE_HZ });
  const [sentence = pause] = source.read(0, source.lengthFrames);
  speech = joinSamples([pause, sentence, pause, sentence, pause]);
  const gain = Math.sqrt((24 * measurePower(sentence)) / sentence.length);
  noise = speech.map(() => gain * (random() - 0.5));
});

const add = (a: Float32Array, b: Float32Array, share = 1) => a.map((value, n) => value + share * (b[n] ?? 0));
const measurePower = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
const toDb = (ratio: number) => 10 * Math.log10(ratio);

describe("half of the noise", () => {
  it("[V12] is what the network for clean speech takes for noise, in step with the window", async () => {
    const halver = makeNoiseHalver(new NetworkStore({ threads: 2 }), manifests, outcomes);
    const noisy = add(speech, noise);
    const quieter = await halver?.halve(noisy);
    if (quieter === undefined) throw new Error("there is noise");
    expect(quieter).toHaveLength(noisy.length);
    const ofPause = (samples: Float32Array) => measurePower(samples.subarray(0.2 * RATE_HZ, 0.8 * RATE_HZ));
    const drop = toDb(ofPause(noisy) / ofPause(quieter));
    expect(drop).toBeGreaterThan(5);
    expect(drop).toBeLessThan(6.1);
    const fewer = toDb(measurePower(noise) / measurePower(add(quieter, speech, -1)));
    expect(fewer).toBeGreaterThan(4);
    // As loud a noise without speech.
    expect(await halver?.halve(noise)).toHaveLength(noise.length);
  });

  it("[V12] is not looked for where there is little", async () => {
    const halver = makeNoiseHalver(new NetworkStore({ threads: 2 }), manifests, outcomes);
    expect(halver).toBeDefined();
    expect(await halver?.halve(speech)).toBeUndefined();
    expect(await halver?.halve(add(speech, noise, 0.3))).toBeUndefined();
  });

  it("is unknown without the network", () => {
    const others = manifests.filter(({ family }) => family !== "speech-cleaner");
    expect(makeNoiseHalver(new NetworkStore({ threads: 1 }), others, outcomes)).toBeUndefined();
  });

  it("[T15] is left out if the network fails, which is tried once", async () => {
    const getNetwork = vi.fn(() =>
      Promise.reject(new EngineError("network-missing", "Its weights are missing.")),
    );
    const halver = makeNoiseHalver({ getNetwork }, manifests, outcomes);
    const noisy = add(speech, noise);
    expect([await halver?.halve(noisy), await halver?.halve(noisy)]).toEqual([undefined, undefined]);
    expect(getNetwork).toHaveBeenCalledTimes(1);
  });
});
