import { expect, it } from "vitest";
import { hidesSecond, isTogether, mayHideSecond, planTogether } from "./talk-together.ts";
import { makeGains } from "./voice-gains.ts";

it("[VO1] tells people who talk at once throughout from a conversation with overlaps, and from one person", () => {
  const hear = (...counts: number[]) => ({ heardCount: Uint8Array.from(counts) });
  expect(isTogether(hear(0, 1, 2, 2, 1, 2, 0, 0))).toBe(true);
  expect(isTogether(hear(0, 1, 1, 2, 1, 1, 0, 0))).toBe(false);
  expect(isTogether(hear(0, 1, 1, 0))).toBe(false);
  expect(isTogether(hear(0, 0))).toBe(false);
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
  const hear = (voiceCount: number, atOnce: number) => ({
    voiceCount,
    heardCount: Uint8Array.from({ length: 100 }, (_, step) => (step < atOnce ? 2 : 1)),
  });
  const [short, long] = [{ isShort: true }, { isShort: false }];
  expect([mayHideSecond(hear(1, 0), short), mayHideSecond(hear(1, 0), long)]).toEqual([true, true]);
  expect([mayHideSecond(hear(2, 20), short), mayHideSecond(hear(2, 20), long)]).toEqual([true, false]);
  expect(mayHideSecond(hear(2, 5), short)).toBe(false);
  expect(mayHideSecond(hear(2, 50), short)).toBe(false);
});

it("[VO1] finds a second voice in the streams where turns hear one alone, and none in a faint rest", () => {
  const heardCount = Uint8Array.from({ length: 100 }, (_, step) => (step < 50 ? 1 : 2));
  const hear = (weaker: (step: number) => number) => [
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
      hear((step) => (step % 10 < 5 ? 0.2 : 0)),
    ),
  ).toBe(true);
  expect(
    hidesSecond(
      { heardCount },
      hear((step) => (step < 50 ? 0.001 : 1)),
    ),
  ).toBe(false);
  expect(
    hidesSecond(
      { heardCount },
      hear(() => 0),
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
