import { describe, expect, it } from "vitest";
import { areFree, coverMinutes, passOnRest } from "./reservations.ts";

const vocals = { id: "v", model: "vocals", creditsPerMinute: 2, amount: 2 };
const bass = { id: "b", model: "bass", creditsPerMinute: 1, amount: 1 };

describe("reservations", () => {
  it("[B4] are raised to the requested minutes if the account can pay for them", () => {
    expect(coverMinutes([vocals, bass], { wanted: 4, free: 9 })).toEqual({
      minutes: 4,
      changes: [
        { id: "v", amount: 8, more: 6 },
        { id: "b", amount: 4, more: 3 },
      ],
    });
  });

  it("[B4] are otherwise raised to the minutes the account can pay for", () => {
    expect(coverMinutes([vocals, bass], { wanted: 4, free: 8.9 })).toEqual({
      minutes: 3,
      changes: [
        { id: "v", amount: 6, more: 4 },
        { id: "b", amount: 3, more: 2 },
      ],
    });
  });

  it("[B4] of free targets cover any length", () => {
    expect(areFree([{ ...vocals, creditsPerMinute: 0 }])).toBe(true);
    expect(areFree([vocals, { ...bass, creditsPerMinute: 0 }])).toBe(false);
  });

  it("[B5] pass on what a finished target leaves to the others of its pair, and take from them what it overdrew", () => {
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
