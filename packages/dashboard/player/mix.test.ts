import { describe, expect, it } from "vitest";
import { extendMix, findGain, listNullSet, makeMix, makeNullGains } from "./mix.ts";

describe("the mix", () => {
  it("[PV9] starts with the stems, and with the input if there are none", () => {
    expect(findGain(makeMix(["input", "a"]), "input")).toBe(0);
    expect(findGain(makeMix(["input", "a"]), "a")).toBe(1);
    expect(findGain(makeMix(["input"]), "input")).toBe(1);
  });

  it("[PV9] plays tracks added later instead of the input, and changes nothing else", () => {
    const alone = extendMix(makeMix(["input"]), ["input", "voice_01", "voice_02"]);
    expect(alone).toEqual(makeMix(["input", "voice_01", "voice_02"]));
    const mix = { ...makeMix(["input", "a"]), a: { gainDb: -3, pan: 0.5, isMuted: false, isSolo: true } };
    const extended = extendMix(mix, ["input", "a", "voice_01"]);
    expect(extended).toEqual({ ...mix, voice_01: makeMix(["voice_01"]).voice_01 });
  });

  it("[PV9] a solo silences all other tracks, muted or not", () => {
    const mix = makeMix(["input", "a", "b"]);
    const solo = { ...mix, input: { gainDb: -6, pan: 0, isMuted: true, isSolo: true } };
    expect(findGain(solo, "input")).toBeCloseTo(0.501, 3);
    expect(findGain(solo, "a")).toBe(0);
  });

  it.each([
    [
      ["input", "vocals", "vocals_residual", "drums"],
      ["vocals", "vocals_residual"],
    ],
    [
      ["input", "drums", "voice_01", "voice_02", "voice_residual"],
      ["voice_01", "voice_02", "voice_residual"],
    ],
    [
      ["input", "drums", "vocals", "instrumental"],
      ["vocals", "instrumental"],
    ],
    [
      ["input", "vocals", "drums", "bass", "other"],
      ["vocals", "drums", "bass", "other"],
    ],
  ])("[PV9] of %o the null test takes %o", (names, expected) => {
    const toTarget = (name: string) => (name === "input" ? undefined : name.split("_")[0]);
    const tracks = names.map((name) => ({ id: name, name, targetId: toTarget(name) }));
    expect(listNullSet(tracks)).toEqual(expected);
    expect(makeNullGains(tracks).input).toBe(-1);
  });
});
