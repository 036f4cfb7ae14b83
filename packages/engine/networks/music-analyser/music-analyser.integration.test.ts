import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ArraySource } from "../../dsp/sources/array-source.ts";
import { loadManifests } from "../../manifests/manifest.ts";
import { NetworkStore } from "../network-store.ts";
import { ANALYSIS_RATE_HZ, ANALYSIS_STEP_FRAMES } from "./music-features.ts";

const manifest = loadManifests().find((entry) => entry.family === "music-analyser");
if (manifest === undefined) throw new Error("no manifest for a music analyser");
const analyser = await new NetworkStore({ threads: 1 }).getMusicAnalyser(manifest);

type Part = "beats" | "chords" | "pulses" | "harmony";
/** Every n-th number of the network in PyTorch, for the signal below. */
const reference = JSON.parse(readFileSync(join(import.meta.dirname, "support/reference.json"), "utf8")) as {
  every: Record<Part, number>;
} & Record<Part, number[]>;

/** Three gliding tones with tremolo, and clicks. */
function makeSignal(seconds: number): Float32Array {
  const turn = 2 * Math.PI;
  return Float32Array.from({ length: seconds * ANALYSIS_RATE_HZ }, (_, n) => {
    const t = n / ANALYSIS_RATE_HZ;
    const tones =
      0.3 * Math.sin(turn * (110 * t + 4 * t * t)) +
      0.2 * Math.sin(turn * (329.6 * t + 11 * t * t)) +
      0.1 * Math.sin(turn * 880 * t);
    const click = n % 11_025 < 40 ? 0.4 * (1 - 2 * (n % 2)) : 0;
    return tones * (0.6 + 0.4 * Math.sin(turn * 2 * t)) + click;
  });
}

it("[MA9] features and scores are those of the network as it was trained, 60 dB below in difference", async () => {
  const signal = makeSignal(12);
  const range = { firstStep: 0, stepCount: signal.length / ANALYSIS_STEP_FRAMES };
  const { features, pulses, harmony } = await analyser.infer(
    new ArraySource([signal], ANALYSIS_RATE_HZ),
    range,
  );
  const own = { beats: features.slots, chords: features.steps, pulses, harmony };
  for (const part of ["beats", "chords", "pulses", "harmony"] as const) {
    const expected = reference[part];
    let [power, difference] = [0, 0];
    expected.forEach((value, n) => {
      power += value ** 2;
      difference += (value - own[part][n * reference.every[part]]!) ** 2;
    });
    expect(10 * Math.log10(power / difference), part).toBeGreaterThan(60);
  }
});
