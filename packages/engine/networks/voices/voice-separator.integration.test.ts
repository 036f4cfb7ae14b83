import { describe, expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { separateByOriginal } from "../band-split/support/separate-by-original.ts";
import { VOICE_TRANSFORM, VoiceSeparator } from "./voice-separator.ts";

const WEIGHTS = new URL("../../../../weights/voices-separator/model.onnx", import.meta.url).pathname;
const WINDOW_FRAMES = 64 * VOICE_TRANSFORM.hopFrames;

/** Two buzzes of different pitch that come and go, in a little noise. */
function makeTalk(seed: number): Float32Array {
  const random = makeSeededRandom(seed);
  return Float32Array.from({ length: WINDOW_FRAMES }, (_, n) => {
    const seconds = n / 16_000;
    const buzz = (hz: number) => ((seconds * hz) % 1) - 0.5;
    const low = Math.sin(9 * seconds) > 0 ? buzz(110) : 0;
    const high = Math.sin(14 * seconds + 1) > 0 ? buzz(230) : 0;
    return 0.2 * low + 0.15 * high + 0.002 * (random() - 0.5);
  });
}

const energy = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
const shareDb = (part: Float32Array, whole: Float32Array) => 10 * Math.log10(energy(part) / energy(whole));
const minus = (a: Float32Array, b: Float32Array) => a.map((value, n) => value - b[n]!);

describe("the rebuilt separator of two voices", () => {
  const [left, right] = [makeTalk(1), makeTalk(2).map((value) => value * 0.7)];
  const loading = VoiceSeparator.load(WEIGHTS, { windowFrames: WINDOW_FRAMES, threads: 2 });

  it("returns the same voices as the exported graph, to −80 dB", async () => {
    const { separator, runsOn } = await loading;
    expect(runsOn).toBe("cpu");
    const expected = await separateByOriginal(WEIGHTS, left, { stemCount: 3, transform: VOICE_TRANSFORM });
    const voices = await separator.separate([left]);
    voices.forEach(([voice], index) => {
      expect(shareDb(minus(voice!, expected[index]!), left)).toBeLessThan(-80);
      // Both must be present: silence would match too.
      expect(shareDb(voice!, left)).toBeGreaterThan(-30);
    });
  });

  it("applies one mask to each channel, so that the mean of the channels equals the mono result", async () => {
    const { separator } = await loading;
    const mono = left.map((value, n) => (value + right[n]!) / 2);
    const apart = await separator.separate([left, right]);
    const together = await separator.separate([mono]);
    apart.forEach((channels, voice) => {
      const mean = channels[0]!.map((value, n) => (value + channels[1]![n]!) / 2);
      expect(shareDb(minus(mean, together[voice]![0]!), mono)).toBeLessThan(-90);
    });
  });
});
