import { describe, expect, it } from "vitest";
import { UNTOUCHED } from "../../../player/mix.ts";
import { type MixerState, parseMixerState, writeMixerState } from "./mixer-state.ts";

const TASK = { ids: ["input", "a"], frames: 1000 };
const FIRST = { input: { ...UNTOUCHED, isMuted: true }, a: UNTOUCHED };
const STATE: MixerState = {
  mix: { ...FIRST, a: { gainDb: -3, pan: 0.5, isMuted: false, isSolo: true } },
  loop: { start: 10, end: 20 },
  view: { start: 0, end: 500 },
  frame: 15,
  kind: "spectrogram",
};

describe("[PV12] the state of a mixer", () => {
  it("is kept, apart from what the Task opens with", () => {
    const text = writeMixerState(STATE, FIRST);
    expect(parseMixerState(text, TASK)).toEqual({ ...STATE, mix: { a: STATE.mix.a } });
  });

  it.each([
    [null, {}],
    ["{", {}],
    ["null", {}],
    [
      '{"mix":{"b":{}},"loop":{"start":5,"end":5},"view":{"start":0,"end":2000},"frame":-1,"kind":"x"}',
      { mix: {} },
    ],
    ['{"mix":{"a":{"gainDb":99,"pan":"left","isMuted":1}}}', { mix: { a: UNTOUCHED } }],
  ])("drops what does not fit, as in %s", (text, expected) => {
    expect(parseMixerState(text, TASK)).toEqual(expected);
  });
});
