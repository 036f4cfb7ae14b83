import { expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { findSimultaneity, isTogether, planTogether } from "./talk-together.ts";
import { makeGains } from "./voice-gains.ts";

const random = makeSeededRandom(5);
const makeNoise = (isLoud: (second: number) => boolean) =>
  Float32Array.from({ length: 64_000 }, (_, n) => (isLoud(n / 16_000) ? 1 : 0.01) * (random() - 0.5));

it("[VO1] tells simultaneous streams from alternating ones", () => {
  const always = () => true;
  const inTurn = findSimultaneity(
    makeNoise((second) => second < 2),
    makeNoise((second) => second >= 2),
  );
  const atOnce = findSimultaneity(makeNoise(always), makeNoise(always));
  expect(isTogether([inTurn, inTurn, atOnce])).toBe(false);
  expect(isTogether([atOnce, inTurn, atOnce])).toBe(true);
  expect(isTogether([])).toBe(false);
});

it("[VO1] two people who talk at once each get a stream for all speech, and nothing of the original input", () => {
  const people = Int8Array.from({ length: 200 }, (_, step) => (step > 80 && step < 120 ? 0 : -1));
  const [first, second] = makeGains(planTogether({ people }));
  expect(first?.streams[0][100]).toBe(1);
  expect(first?.streams[1][100]).toBe(0);
  expect(second?.streams[1][100]).toBe(1);
  expect(first?.input[100]).toBe(0);
  expect(first?.streams[0][10]).toBe(0);
});
