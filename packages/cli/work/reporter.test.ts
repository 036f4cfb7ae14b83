import { expect, it } from "vitest";
import {
  formatBar,
  formatSeconds,
  makeJsonReporter,
  makePlainReporter,
  makeTerminalReporter,
} from "./reporter.ts";

function record(make: typeof makePlainReporter) {
  const [out, err]: [string[], string[]] = [[], []];
  return {
    reporter: make(
      (text) => void out.push(text),
      (text) => void err.push(text),
    ),
    out,
    err,
  };
}

it("[S23] a terminal gets a bar with the remaining time, and only paths on standard output", () => {
  const { reporter, out, err } = record(makeTerminalReporter);
  reporter.started("in/song.mp3");
  reporter.progress("in/song.mp3", { fraction: 0.5, secondsLeft: 90 });
  reporter.done("in/song.mp3", ["in/song/vocals.wav"]);
  expect(err.at(1)).toContain(`${"█".repeat(12)}${"░".repeat(12)}  50 %  1 min 30 s left`);
  expect(out.join("")).toBe("in/song/vocals.wav\n");
  expect(formatBar({ fraction: 0 })).toMatch(/^░{24} {3}0 %$/);
  expect(formatSeconds(59.6)).toBe("1 min 00 s");
});

it("[S23] without a terminal, prints a line per 10 %", () => {
  const { reporter, err } = record(makePlainReporter);
  for (let percent = 0; percent <= 100; percent += 1) reporter.progress("a", { fraction: percent / 100 });
  expect(err).toHaveLength(10);
  expect(err[0]).toBe("a: 10 %\n");
});

it("[S23] programs get one JSON object per line", () => {
  const { reporter, out } = record(makeJsonReporter);
  reporter.started("a");
  reporter.failed("a", "no");
  expect(out.map((line) => JSON.parse(line))).toEqual([
    { event: "started", input: "a" },
    { event: "failed", input: "a", message: "no" },
  ]);
});
