import { expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { NetworkStore } from "../../networks/network-store.ts";
import { loadManifests } from "../../runtime/manifest.ts";
import { makeHalveNoise } from "./halve-noise.ts";

const RATE = 16_000;
const SECONDS = 11;
const manifests = loadManifests();
const random = makeSeededRandom(3);
const isPause = (n: number) => Math.floor((5 * n) / RATE) % 6 === 5;
const pauses = (samples: Float32Array) => samples.filter((_, n) => isPause(n));
/** Buzzes with formants that change five times a second, like vowels, and pauses between them. */
const speech = Float32Array.from({ length: SECONDS * RATE }, (_, n) => {
  const seconds = n / RATE;
  const syllable = Math.floor(5 * seconds);
  if (isPause(n)) return 0;
  const pulse = (seconds * (110 + 10 * Math.sin(3 * seconds))) % 1;
  const formantHz = 400 + 150 * (syllable % 4);
  return 0.2 * Math.exp(-8 * pulse) * Math.sin(2 * Math.PI * formantHz * (pulse / 110));
});
const noise = Float32Array.from({ length: SECONDS * RATE }, () => 0.05 * (random() - 0.5));
const add = (a: Float32Array, b: Float32Array, share = 1) => a.map((value, n) => value + share * (b[n] ?? 0));
const power = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
const toDb = (ratio: number) => 10 * Math.log10(ratio);

it("[V12] halves what the network for clean speech takes for noise, in step with the window", async () => {
  const halveNoise = makeHalveNoise(new NetworkStore({ threads: 2 }), manifests);
  if (halveNoise === undefined) throw new Error("the network for clean speech is missing");
  const noisy = add(speech, noise, 2);
  const { samples, snrDb } = await halveNoise(noisy);
  expect(samples).toHaveLength(noisy.length);
  const drop = toDb(power(pauses(noisy)) / power(pauses(samples)));
  expect(drop).toBeGreaterThan(4.5);
  expect(drop).toBeLessThan(6.1);
  expect(toDb(power(add(noisy, speech, -1)) / power(add(samples, speech, -1)))).toBeGreaterThan(3);
  expect((await halveNoise(noise)).snrDb).toBeLessThan(Math.min(0, snrDb));
});

it("does nothing without the network", () => {
  const others = manifests.filter(({ family }) => family !== "speech-cleaner");
  expect(makeHalveNoise(new NetworkStore({ threads: 1 }), others)).toBeUndefined();
});
