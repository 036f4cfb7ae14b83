import { expect, it } from "vitest";
import { loadManifests } from "../runtime/manifest.ts";
import { listHeardStems } from "./choose-sources.ts";
import type { EngineTarget } from "./engine-request.ts";
import { needStem, planTargets } from "./plan-targets.ts";
import { checkWorkBytes, estimateTargetBytes } from "./work-bytes.ts";

const manifests = loadManifests();
const media = { durationSeconds: 1200, sampleRateHz: 44_100, channels: 2 };
const input = { ...media, lengthFrames: media.durationSeconds * media.sampleRateHz };
const voices: EngineTarget = {
  kind: "voices",
  key: "v",
  model: "multi_voice",
  pathPrefix: "v",
  formats: ["wav"],
  hasResidual: false,
};
const words: EngineTarget = { kind: "text", key: "t", model: "transcription", files: [] };
const dialogue: EngineTarget = { kind: "sound", key: "d", model: "dialogue", files: [] };

it.each([
  ["voices", [voices]],
  ["voices and words", [voices, words]],
  ["the dialogue as well", [voices, dialogue]],
])("[T20] with music behind %s, no more disk is needed than was estimated", (_, targets) => {
  const plan = planTargets(targets, manifests);
  for (const heard of listHeardStems(plan, manifests)) needStem(plan.stemPasses, { ...heard, manifests });
  const estimate = estimateTargetBytes(targets, media, manifests);
  expect(() => checkWorkBytes(plan, input, estimate)).not.toThrow();
  expect(() => checkWorkBytes(plan, input, estimate - 1)).toThrow(/bytes of disk space/);
});

it("[T20] the separated windows of voices count, once per variant", () => {
  const estimate = (targets: EngineTarget[]) => estimateTargetBytes(targets, media, manifests);
  const once = estimate([voices]) - estimate([dialogue]);
  const secondsOfStreams = 2 * media.durationSeconds * 16_000 * media.channels * 4;
  expect(once).toBeGreaterThan((8 / 6) * secondsOfStreams);
  const both = estimate([voices, { ...voices, key: "n", variant: "n_speaker" }]);
  expect(both - estimate([voices])).toBe(once);
});
