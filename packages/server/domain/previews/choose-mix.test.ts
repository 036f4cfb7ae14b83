import { describe, expect, it } from "vitest";
import { chooseMix, listSharing } from "./choose-mix.ts";

const WHOLE = ["vocals", "drums", "bass", "guitar", "piano", "rest"];
const PARTS: Record<string, string[]> = {
  vocals: ["vocals"],
  vocals_residual: WHOLE.slice(1),
  drums: ["drums"],
  bass: ["bass"],
  other: ["guitar", "piano", "rest"],
  instrumental: WHOLE.slice(1),
  guitar: ["guitar"],
  piano: ["piano"],
  "other-x-guitar": ["piano", "rest"],
};
const sound = (id: string) => ({ id, parts: PARTS[id] ?? [], whole: WHOLE });
const apart = (id: string) => ({ id, parts: [id], whole: ["dialogue", "music_fx"] });

describe("[PV9] the mix a player starts with", () => {
  it.each([
    [["vocals", "drums", "bass", "other", "instrumental"], ["vocals", "drums", "bass", "other"], true],
    [["vocals", "instrumental"], ["vocals", "instrumental"], true],
    [["vocals", "vocals_residual", "drums"], ["vocals", "vocals_residual"], true],
    [
      ["vocals", "drums", "bass", "guitar", "piano", "other-x-guitar"],
      ["vocals", "drums", "bass", "guitar", "other-x-guitar"],
      true,
    ],
    [["instrumental", "drums"], ["instrumental"], false],
    [["other", "guitar"], ["other"], false],
    [["guitar", "piano"], ["guitar", "piano"], false],
    [[], [], false],
  ])("of %o is %o", (ids, tracks, isWhole) => {
    expect(chooseMix(ids.map(sound))).toEqual({ tracks, isWhole });
  });

  it("is of one family of networks", () => {
    const tracks = [sound("vocals"), apart("dialogue"), apart("music_fx")];
    expect(chooseMix(tracks)).toEqual({ tracks: ["dialogue", "music_fx"], isWhole: true });
    expect(listSharing(sound("vocals"), tracks.slice(1))).toEqual(["dialogue", "music_fx"]);
  });

  it("says what the others share sound with", () => {
    const mix = ["vocals", "drums", "bass", "other"].map(sound);
    expect(listSharing(sound("instrumental"), mix)).toEqual(["drums", "bass", "other"]);
    expect(listSharing(sound("piano"), mix)).toEqual(["other"]);
  });

  it("is found at once among forty tracks", () => {
    const whole = Array.from({ length: 20 }, (_, n) => `part ${n}`);
    const tracks = whole.flatMap((part) => [
      { id: part, parts: [part], whole },
      { id: `${part} residual`, parts: whole.filter((each) => each !== part), whole },
    ]);
    expect(chooseMix(tracks).tracks).toEqual(whole);
    const overlapping = whole.map((part, n) => ({ id: part, parts: whole.slice(n, n + 3), whole }));
    expect(chooseMix(overlapping).tracks.length).toBeGreaterThan(5);
  });
});
