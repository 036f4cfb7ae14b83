import { describe, expect, it } from "vitest";
import { extendMix, findGain, listNullSet, makeMix, makeNullGains } from "./mix.ts";

const toTarget = (name: string) => (name === "input" ? undefined : name.split("_")[0]);
const toPreviews = (names: readonly string[], mix?: { tracks: string[]; isWhole: boolean }) => ({
  tracks: names.map((name) => ({ id: name, name, targetId: toTarget(name), chunks: 1 })),
  ...(mix && { mix }),
});

describe("the mix", () => {
  it("[PV9] starts with the tracks the service names, the others muted", () => {
    const mix = makeMix(toPreviews(["input", "a", "b"], { tracks: ["b"], isWhole: false }));
    expect(["input", "a", "b"].map((id) => findGain(mix, id))).toEqual([0, 0, 1]);
  });

  it("[PV9] starts with the stems, or with the input alone, if an older service names none", () => {
    expect(findGain(makeMix(toPreviews(["input", "a"])), "input")).toBe(0);
    expect(findGain(makeMix(toPreviews(["input", "a"])), "a")).toBe(1);
    expect(findGain(makeMix(toPreviews(["input"])), "input")).toBe(1);
  });

  it("[PV9] plays tracks added later instead of the input, and changes nothing that somebody has set", () => {
    const before = toPreviews(["input"], { tracks: ["input"], isWhole: true });
    const now = toPreviews(["input", "voice_01"], { tracks: ["voice_01"], isWhole: false });
    expect(extendMix(makeMix(before), { before, now })).toEqual(makeMix(now));
    const changed = { input: { gainDb: -3, pan: 0.5, isMuted: false, isSolo: true } };
    expect(extendMix(changed, { before, now })).toEqual({ ...makeMix(now), ...changed });
  });

  it("[PV9] a solo silences all other tracks, muted or not", () => {
    const mix = makeMix(toPreviews(["input", "a", "b"]));
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
    const previews = toPreviews(names, { tracks: expected, isWhole: true });
    expect(listNullSet(previews)).toEqual(expected);
    expect(listNullSet(toPreviews(names))).toEqual(expected);
    expect(makeNullGains(previews).input).toBe(-1);
  });

  it("[PV9] there is no null test of stems that are not the whole", () => {
    expect(
      listNullSet(toPreviews(["input", "drums", "other"], { tracks: ["drums"], isWhole: false })),
    ).toEqual([]);
  });
});
