import { describe, expect, it } from "vitest";
import { makeGainManifest, makeSplitterManifest } from "../support/gain-network.ts";
import type { StemPass, TargetPlan } from "../targets/plan-targets.ts";
import { TargetWaits } from "./target-waits.ts";

const manifest = makeGainManifest(4000);
const makePass = (keys: string[], reads?: StemPass): StemPass => ({
  manifest: reads ? makeSplitterManifest(4000) : manifest,
  reads: reads && { pass: reads, stem: "other" },
  startShare: 0,
  stems: [],
  targets: keys.map((key) => ({
    target: { kind: "sound", key, model: key, files: [] },
    service: { model: key, stem: [key], variants: [] },
    startShares: [0],
  })),
});
const first = makePass(["vocals"]);
const reader = makePass(["guitar"], first);
const second = makePass(["better"]);
const words = { kind: "text" as const, model: "transcription", files: [] };
const plan = {
  stemPasses: [first, reader, second],
  detectionPass: { targets: [{ kind: "detection", key: "music", model: "music_detection", files: [] }] },
  analysisPass: { targets: [{ kind: "analysis", key: "song", model: "music_analysis", files: [] }] },
  speechPass: {
    targets: [
      { ...words, key: "english", language: "en" },
      { ...words, key: "german", language: "de" },
    ],
  },
  refused: [],
} as unknown as TargetPlan;
const waits = new TargetWaits(plan);
const texts = ["english", "german"];

describe("which targets wait for which stage", () => {
  it("[T14] all wait for the input and for the music detection that comes first", () => {
    const sounds = ["vocals", "guitar", "better"];
    expect(waits.forDecoding).toEqual(["music", "song", ...sounds, ...texts]);
    expect(waits.forAnalysis).toEqual(["song", ...sounds, ...texts]);
    expect(waits.forSources).toEqual([...sounds, ...texts]);
  });

  it("[T14] a pass is waited for by its own targets, by those that read its stems and by later ones", () => {
    expect(waits.forStemPass(first)).toEqual(["vocals", "guitar", "better", ...texts]);
    expect(waits.forStemPass(reader)).toEqual(["guitar", "better", ...texts]);
    expect(waits.forStemPass(second)).toEqual(["better", ...texts]);
  });

  it("[T14] a file is waited for by its target, and a transcription by later ones", () => {
    const target = first.targets[0]?.target;
    expect(target && waits.forRender(target)).toEqual(["vocals", ...texts]);
    expect(waits.forTranscription({ language: "en" })).toEqual(texts);
    expect(waits.forTranscription({ language: "de" })).toEqual(["german"]);
  });

  it("[T14] a pass that turns out to be needed is waited for only by text targets", () => {
    const joined = makePass([]);
    plan.stemPasses.push(joined);
    expect(waits.forStemPass(joined)).toEqual(texts);
    expect(waits.forStemPass(second)).toEqual(["better", ...texts]);
  });
});
