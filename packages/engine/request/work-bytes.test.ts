import { expect, it } from "vitest";
import { loadManifests } from "../manifests/manifest.ts";
import type { EngineTarget } from "../targets/engine-request.ts";
import { estimateTargetBytes } from "./work-bytes.ts";

const manifests = loadManifests();
const media = { durationSeconds: 1200, sampleRateHz: 44_100, channels: 2 };
const voices: EngineTarget = {
  kind: "voices",
  key: "v",
  model: "multi_voice",
  pathPrefix: "v",
  formats: ["wav"],
  hasResidual: false,
};
const dialogue: EngineTarget = { kind: "sound", key: "d", model: "dialogue", files: [] };

it("[T20] the separated windows of voices count, once per variant", () => {
  const estimate = (targets: EngineTarget[]) => estimateTargetBytes(targets, media, manifests);
  const once = estimate([voices]) - estimate([dialogue]);
  const secondsOfStreams = 2 * media.durationSeconds * 16_000 * media.channels * 4;
  expect(once).toBeGreaterThan((8 / 6) * secondsOfStreams);
  const both = estimate([voices, { ...voices, key: "n", variant: "n_speaker" }]);
  expect(both - estimate([voices])).toBe(once);
});
