import { expect, it } from "vitest";
import { hidesSecond, isTogether, mayHideSecond, planTogether } from "./decide-simultaneous-talk.ts";
import { makeGains } from "./voice-gains.ts";

const hear = (voiceCount: number, ...counts: number[]) => ({
  voiceCount,
  heardCount: Uint8Array.from(counts),
});

it("[VO1] tells people who talk at once throughout from a conversation with overlaps, and from one person", () => {
  const isPair = true;
  expect(isTogether(hear(2, 0, 1, 2, 2, 1, 2, 0, 0), { isPair })).toBe(true);
  expect(isTogether(hear(2, 0, 1, 1, 2, 1, 1, 0, 0), { isPair })).toBe(false);
  expect(isTogether(hear(1, 0, 1, 1, 0), { isPair })).toBe(false);
  expect(isTogether(hear(0, 0, 0), { isPair })).toBe(false);
});

it("[VO1] two voices at once are two people if two are expected, even if turns find one person", () => {
  const turns = hear(1, 0, 1, 1, 2, 1, 1, 0, 0);
  expect(isTogether(turns, { isPair: true })).toBe(true);
  expect(isTogether(turns, { isPair: false })).toBe(false);
});

it("[VO1] two people who talk at once each get a stream for all speech, and nothing of the original input", () => {
  const heardCount = Uint8Array.from({ length: 200 }, (_, step) => 2 * Number(step > 80 && step < 120));
  const [first, second] = makeGains(planTogether({ heardCount }));
  expect(first?.streams[0][100]).toBe(1);
  expect(first?.streams[1][100]).toBe(0);
  expect(second?.streams[1][100]).toBe(1);
  expect(first?.input[100]).toBe(0);
  expect(first?.streams[0][10]).toBe(0);
});

it("[VO1] a second voice may be missed where turns find one person, or two in a short recording with much overlap", () => {
  const [short, long] = [{ isShort: true }, { isShort: false }];
  const [one, two] = [hear(1, 1, 1, 1, 1), hear(2, 1, 1, 1, 2)];
  expect([mayHideSecond(one, short), mayHideSecond(one, long)]).toEqual([true, true]);
  expect([mayHideSecond(two, short), mayHideSecond(two, long)]).toEqual([true, false]);
  expect(mayHideSecond(hear(2, 1, 1, 1, 1), short)).toBe(false);
});

it("[VO1] finds a second voice in the streams where turns hear one alone, and none in a faint rest", () => {
  const heardCount = Uint8Array.from({ length: 100 }, (_, step) => (step < 50 ? 1 : 2));
  const separate = (weaker: (step: number) => number) => [
    {
      firstStep: 0,
      all: [
        new Float32Array(100).fill(1),
        Float32Array.from({ length: 100 }, (_, step) => weaker(step)),
      ] as const,
    },
  ];
  expect(
    hidesSecond(
      { heardCount },
      separate((step) => (step % 10 < 5 ? 0.2 : 0)),
    ),
  ).toBe(true);
  expect(
    hidesSecond(
      { heardCount },
      separate((step) => (step < 50 ? 0.001 : 1)),
    ),
  ).toBe(false);
  expect(
    hidesSecond(
      { heardCount },
      separate(() => 0),
    ),
  ).toBe(false);
  expect(hidesSecond({ heardCount }, [])).toBe(false);
});

it("[VO1] one stream after the other is no second voice", () => {
  const heardCount = new Uint8Array(100).fill(1);
  const ramp = (isFirst: boolean) =>
    Float32Array.from({ length: 100 }, (_, step) => Number(step < 50 === isFirst));
  expect(hidesSecond({ heardCount }, [{ firstStep: 0, all: [ramp(true), ramp(false)] }])).toBe(false);
});
