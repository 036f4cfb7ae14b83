import { describe, expect, it } from "vitest";
import { ClickTrack } from "./click-track.ts";
import { delayAnalysis, type MusicAnalysis } from "./music-analysis.ts";
import { toAnalysisJson, toBeatCsv, toChordLab } from "./write-analysis.ts";
import { toMidi } from "./write-midi.ts";

const beats = [0.5, 1, 1.5, 2.1].map((time, n) => ({ time, beat: (n % 3) + 1, bar: 1 + Math.floor(n / 3) }));
const analysis: MusicAnalysis = {
  duration: 4,
  bpm: 120,
  timeSignature: "3/4",
  key: "C major",
  keyConfidence: 0.9,
  tuningCents: -3,
  beats,
  tempo: [{ start: 0.5, end: 2.1, bpm: 112.5 }],
  keys: [{ start: 0, end: 4, key: "C major" }],
  chords: [
    { start: 0, end: 1.5, label: "C:maj" },
    { start: 1.5, end: 4, label: "N" },
  ],
  sections: [{ start: 0, end: 4, label: "A" }],
  loudness: { integratedLufs: -14, truePeakDbtp: -1, rangeLu: 4 },
};

/** Tempo (microseconds), markers and texts of a MIDI file of one track, with their times in seconds. */
function readMidi(file: Uint8Array) {
  const view = new DataView(file.buffer);
  const ticksPerQuarter = view.getUint16(12);
  const events: { time: number; type: number; data: number[] }[] = [];
  let [at, time, microseconds] = [22, 0, 500_000];
  const readNumber = () => {
    let value = 0;
    for (;;) {
      const byte = file[at++]!;
      value = (value << 7) | (byte & 127);
      if (byte < 128) return value;
    }
  };
  while (at < file.length) {
    time += (readNumber() * microseconds) / 1e6 / ticksPerQuarter;
    at += 1;
    const type = file[at++]!;
    const data = [...file.subarray(at + 1, at + 1 + file[at]!)];
    at += 1 + data.length;
    if (type === 0x51) microseconds = (data[0]! << 16) | (data[1]! << 8) | data[2]!;
    events.push({ time, type, data });
  }
  const texts = (type: number) =>
    events
      .filter((event) => event.type === type)
      .map((event) => ({ time: event.time, text: String.fromCharCode(...event.data) }));
  return { events, texts };
}

describe("files of an analysis", () => {
  it("[MA7] json is the whole of it", () => {
    expect(JSON.parse(toAnalysisJson(analysis))).toEqual(analysis);
  });

  it("[MA7] lab has the chords, csv the beats with what holds at them", () => {
    expect(toChordLab(analysis)).toBe("0.000\t1.500\tC:maj\n1.500\t4.000\tN\n");
    expect(toBeatCsv(analysis).split("\n").slice(0, 2)).toEqual([
      "time,bar,beat,bpm,chord,key,section",
      "0.500,1,1,112.5,C:maj,C major,A",
    ]);
  });

  it("[MA7] mid has a tempo for each beat, its sections as markers and its chords as text, in time", () => {
    const { events, texts } = readMidi(toMidi(analysis));
    expect(texts(0x06)).toEqual([{ time: 0, text: "A" }]);
    const [, second] = texts(0x01);
    expect(second?.text).toBe("N");
    expect(second?.time).toBeCloseTo(1.5, 3);
    expect(events.find(({ type }) => type === 0x58)?.data.slice(0, 2)).toEqual([3, 2]);
    expect(events.at(-1)?.type).toBe(0x2f);
    expect(events.at(-1)?.time).toBeCloseTo(4, 2);
  });

  it("[MA7] mid without a beat is still a file", () => {
    const { events } = readMidi(toMidi({ ...analysis, beats: [], timeSignature: null, bpm: null }));
    expect(events.at(-1)?.time).toBeCloseTo(4, 2);
  });

  it("[MA7] click has a click on each beat, higher on downbeats, the same however it is read", () => {
    const format = { sampleRateHz: 8000, channels: 2 };
    const [whole = new Float32Array(), right] = new ClickTrack(beats, format).read(0, 32_000);
    expect(right).toEqual(whole);
    const onsets = beats.map(({ time }) => time * 8000);
    for (const onset of onsets) expect(whole[onset]).toBeCloseTo(0.5);
    expect(whole.subarray(0, 4000).every((value) => value === 0)).toBe(true);
    const pieces = new ClickTrack(beats, format);
    const joined = Array.from({ length: 32 }, (_, n) => [...pieces.read(n * 1000, 1000)[0]!]).flat();
    expect(joined).toEqual([...whole]);
  });
});

it("[O31] on the file's timeline everything is as much later as the audio starts", () => {
  const later = delayAnalysis(analysis, 1.25);
  expect(later.beats[0]).toEqual({ time: 1.75, beat: 1, bar: 1 });
  expect(later.chords[1]).toEqual({ start: 2.75, end: 5.25, label: "N" });
  expect(later.duration).toBe(5.25);
  expect(delayAnalysis(analysis, 0)).toBe(analysis);
});
