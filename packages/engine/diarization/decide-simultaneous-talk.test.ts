import { expect, it } from "vitest";
import { hidesSecond, isSimultaneous, mayHideSecond, planSimultaneous } from "./decide-simultaneous-talk.ts";
import { makeGains } from "./voice-gains.ts";

const makeTurns = (voiceCount: number, ...counts: number[]) => ({
  voiceCount,
  activeCount: Uint8Array.from(counts),
});

it("[VO1] tells people who talk at once throughout from a conversation with overlaps, and from one person", () => {
  const isPair = true;
  expect(isSimultaneous(makeTurns(2, 0, 1, 2, 2, 1, 2, 0, 0), { isPair })).toBe(true);
  expect(isSimultaneous(makeTurns(2, 0, 1, 1, 2, 1, 1, 0, 0), { isPair })).toBe(false);
  expect(isSimultaneous(makeTurns(1, 0, 1, 1, 0), { isPair })).toBe(false);
  expect(isSimultaneous(makeTurns(0, 0, 0), { isPair })).toBe(false);
});

it("[VO1] two voices at once are two people if two are expected, even if turns find one person", () => {
  const turns = makeTurns(1, 0, 1, 1, 2, 1, 1, 0, 0);
  expect(isSimultaneous(turns, { isPair: true })).toBe(true);
  expect(isSimultaneous(turns, { isPair: false })).toBe(false);
});

it("[VO1] two people who talk at once each get a stream for all speech, and nothing of the original input", () => {
  const activeCount = Uint8Array.from({ length: 200 }, (_, step) => 2 * Number(step > 80 && step < 120));
  const [first, second] = makeGains(planSimultaneous({ activeCount }));
  expect(first?.streams[0][100]).toBe(1);
  expect(first?.streams[1][100]).toBe(0);
  expect(second?.streams[1][100]).toBe(1);
  expect(first?.input[100]).toBe(0);
  expect(first?.streams[0][10]).toBe(0);
});

it("[VO1] a second voice may be missed where turns find one person, or two in a short recording with much overlap", () => {
  const [short, long] = [{ isShort: true }, { isShort: false }];
  const [one, two] = [makeTurns(1, 1, 1, 1, 1), makeTurns(2, 1, 1, 1, 2)];
  expect([mayHideSecond(one, short), mayHideSecond(one, long)]).toEqual([true, true]);
  expect([mayHideSecond(two, short), mayHideSecond(two, long)]).toEqual([true, false]);
  expect(mayHideSecond(makeTurns(2, 1, 1, 1, 1), short)).toBe(false);
});

it("[VO1] finds a second voice in the streams where the turns have one alone, and none in a faint rest", () => {
  const activeCount = Uint8Array.from({ length: 100 }, (_, step) => (step < 50 ? 1 : 2));
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
      { activeCount },
      separate((step) => (step % 10 < 5 ? 0.2 : 0)),
    ),
  ).toBe(true);
  expect(
    hidesSecond(
      { activeCount },
      separate((step) => (step < 50 ? 0.001 : 1)),
    ),
  ).toBe(false);
  expect(
    hidesSecond(
      { activeCount },
      separate(() => 0),
    ),
  ).toBe(false);
  expect(hidesSecond({ activeCount }, [])).toBe(false);
});

it("[VO1] one stream after the other is no second voice", () => {
  const activeCount = new Uint8Array(100).fill(1);
  const ramp = (isFirst: boolean) =>
    Float32Array.from({ length: 100 }, (_, step) => Number(step < 50 === isFirst));
  expect(hidesSecond({ activeCount }, [{ firstStep: 0, all: [ramp(true), ramp(false)] }])).toBe(false);
});
