import { describe, expect, it } from "vitest";
import { areFree, coverMinutes, passOnRest } from "./reservations.ts";

const vocals = { id: "v", model: "vocals", creditsPerMinute: 2, amount: 2 };
const bass = { id: "b", model: "bass", creditsPerMinute: 1, amount: 1 };

describe("reservations", () => {
  it("[B4] are raised to the minutes that are wanted, where the account pays for them", () => {
    expect(coverMinutes([vocals, bass], { wanted: 4, free: 9 })).toEqual({
      minutes: 4,
      changes: [
        { id: "v", amount: 8, more: 6 },
        { id: "b", amount: 4, more: 3 },
      ],
    });
  });

  it("[B4] are raised to the minutes that the account pays for, else", () => {
    expect(coverMinutes([vocals, bass], { wanted: 4, free: 8.9 })).toEqual({
      minutes: 3,
      changes: [
        { id: "v", amount: 6, more: 4 },
        { id: "b", amount: 3, more: 2 },
      ],
    });
  });

  it("[B4] of targets that cost nothing cover any length", () => {
    expect(areFree([{ ...vocals, creditsPerMinute: 0 }])).toBe(true);
    expect(areFree([vocals, { ...bass, creditsPerMinute: 0 }])).toBe(false);
  });

  it("[B5] of one that ended go to the others of its pair, and what it took beyond its own comes from them", () => {
    const held = [
      { id: "t", model: "transcription", amount: 2 },
      { id: "v", model: "vocals", amount: 5 },
      { id: "a", model: "alignment", amount: 1 },
    ];
    expect(passOnRest(held, 0.5)).toEqual([{ id: "t", amount: 2.5, more: 0.5 }]);
    expect(passOnRest(held, -2.5)).toEqual([
      { id: "t", amount: 0, more: -2 },
      { id: "a", amount: 0.5, more: -0.5 },
    ]);
    expect(passOnRest(held, 0)).toEqual([]);
  });
});
