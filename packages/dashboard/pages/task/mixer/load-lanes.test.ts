import type { OutputFile, Words } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { type LaneTarget, loadLanes, parseRegions } from "./load-lanes.ts";

const file = (name: string, format: string): OutputFile => ({ name, format, link: "", type: "", size: 1 });
const target = (id: string, model: string, output: OutputFile[] = []): LaneTarget => ({
  ...{ id, model, output },
  status: "completed",
});
const word = (text: string, start: number) => ({ text, start, end: start + 0.4, confidence: 0.9 });

const TEXTS: Record<string, string> = {
  music_detection: '[{"start_time":1.5,"end_time":9,"confidence":0.9}]',
  voice:
    '{"voices":[{"name":"voice_01","segments":[{"start":3,"end":5,"confidence":1}]},{"name":"voice_02","segments":[{"start":0,"end":2,"confidence":1}]}]}',
};
const WORDS = {
  lines: [
    { start: 0, end: 1, text: "", speaker: "speaker_01", words: [word("Seven ", 0), word("ships\n", 0.5)] },
    { start: 2, end: 2, text: "", words: [] },
    { start: 3, end: 4, text: "", words: [word("They ", 3)] },
    { start: 9, end: 10, text: "", words: [word("left ", 9)] },
  ],
} as unknown as Words;
const reader = {
  openText: async ({ name }: OutputFile) => TEXTS[name] ?? "",
  loadWords: async () => WORDS,
};

describe("[PV11] lanes of a Task", () => {
  it("[O31] are placed in the audio of a video that starts later than its picture", async () => {
    const late = { audioOffset: 1.5 };
    const music = { ...target("m", "music_detection", [file("music_detection", "json")]), ...late };
    const voices = { ...target("v", "multi_voice", [file("voice", "json")]), ...late };
    const startsOf = async (...targets: LaneTarget[]) =>
      (await loadLanes(targets, reader)).map(({ items }) => items[0]?.start);
    expect(await startsOf(music, voices, { ...target("t", "transcription"), ...late })).toEqual([
      0, 3, 0, -1.5,
    ]);
    expect(await startsOf({ ...music, fileTimeline: false }, { ...voices, fileTimeline: true })).toEqual([
      1.5, 1.5, -1.5,
    ]);
  });

  it("are its music regions, voices and words, speakers in the colours of their voices", async () => {
    const lanes = await loadLanes(
      [
        target("t", "transcription"),
        target("v", "multi_voice", [file("voice_01", "wav"), file("voice", "json")]),
        target("m", "music_detection", [file("music_detection", "json")]),
        { ...target("x", "alignment"), status: "processing" },
        target("s", "vocals", [file("vocals", "wav")]),
      ],
      reader,
    );
    expect(lanes.map(({ title, kind }) => `${title} ${kind}`)).toEqual([
      "Music music",
      "Voice 1 voice",
      "Voice 2 voice",
      "Words words",
    ]);
    expect(lanes[0]?.items).toEqual([{ start: 1.5, end: 9, text: "Music, 90 % sure" }]);
    expect(lanes[1]?.items).toEqual([{ start: 3, end: 5, text: "", hue: 1 }]);
    expect(lanes[3]?.items.map(({ text, hue }) => [text, hue])).toEqual([
      ["Seven", 2],
      ["ships", 2],
      ["They", 1],
      ["left", undefined],
    ]);
    expect(lanes[3]?.groups).toEqual([
      { start: 0, end: 0.9, text: "Seven ships", hue: 2 },
      { start: 3, end: 3.4, text: "They", hue: 1 },
      { start: 9, end: 9.4, text: "left" },
    ]);
  });

  it("read regions from txt if there is no json", () => {
    expect(parseRegions("0.000\t12.346\t0.9877\n20.500\t31.000\t0.6100\n", "txt")).toEqual([
      { start: 0, end: 12.346, text: "Music, 99 % sure" },
      { start: 20.5, end: 31, text: "Music, 61 % sure" },
    ]);
  });
});
