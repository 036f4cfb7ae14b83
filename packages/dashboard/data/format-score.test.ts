import { expect, it } from "vitest";
import { formatScore } from "./format-score.ts";

it.each([
  ["SDR (dB)", 10.76, "SDR 10.76 dB"],
  ["SDR (dB) with high_quality", 11, "SDR 11 dB with high_quality"],
  ["SI-SDR improvement (dB), in rooms", 4.05, "SI-SDR improvement 4.05 dB, in rooms"],
  ["WER (%)", 5.57, "WER 5.57 %"],
  ["F1 of 0.1 s steps, clear music", 0.984, "F1 of 0.1 s steps 0.984, clear music"],
  ["STOI, in rooms (0.911 before)", 0.95, "STOI 0.95, in rooms (0.911 before)"],
  ["accuracy", 0.5, "accuracy 0.5"],
])("[PG6] %s of %d is shown as %s", (measure, value, text) => {
  expect(formatScore({ measure, value })).toBe(text);
});
