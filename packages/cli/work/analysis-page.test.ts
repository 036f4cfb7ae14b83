import { expect, it } from "vitest";
import { type Analysis, toAnalysisPage } from "./analysis-page.ts";

const silent: Analysis = {
  duration: 5,
  bpm: null,
  timeSignature: null,
  key: null,
  keyConfidence: null,
  tuningCents: null,
  beats: [],
  keys: [],
  chords: [{ start: 0, end: 5, label: "N" }],
  sections: [],
  loudness: { integratedLufs: null, truePeakDbtp: null, rangeLu: null },
};

it("[S21] an analysis is a page: facts, sections, and chords by bars", () => {
  const beats = Array.from({ length: 8 }, (_, n) => ({
    time: n / 2,
    beat: (n % 4) + 1,
    bar: 1 + Math.floor(n / 4),
  }));
  const page = toAnalysisPage("song.mp3", {
    ...silent,
    duration: 65,
    bpm: 120,
    timeSignature: "4/4",
    key: "C major",
    keyConfidence: 0.93,
    tuningCents: 3,
    beats,
    chords: [
      { start: 0, end: 1, label: "C:maj" },
      { start: 1, end: 65, label: "G:7" },
    ],
    sections: [
      { start: 0, label: "A" },
      { start: 32, label: "B" },
    ],
    loudness: { integratedLufs: -9.1, truePeakDbtp: -0.2, rangeLu: 5 },
  });
  expect(page).toContain("120.0 BPM, 4/4, 8 beats in 2 bars");
  expect(page).toContain("C major (93 % sure), tuned +3 cents");
  expect(page).toContain("-9.1 LUFS, true peak -0.2 dBTP, range 5 LU");
  expect(page).toContain(" 0:32.0  B");
  expect(page).toContain("| C:maj G:7 | %");
});

it("[S21] an analysis of silence says so", () => {
  const page = toAnalysisPage("quiet.wav", silent);
  expect(page).toContain("no beat");
  expect(page).toContain("no key");
  expect(page).toContain("silence");
  expect(page).not.toContain("Chords");
});
