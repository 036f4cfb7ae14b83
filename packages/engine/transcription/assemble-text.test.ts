import { describe, expect, it } from "vitest";
import { toJson } from "../text/to-json.ts";
import { toSrt } from "../text/to-subtitles.ts";
import { assembleText } from "./assemble-text.ts";

describe("the text of a recording", () => {
  it("[Y1] [V3] ends with the recording, even if its end would be rounded up", () => {
    // 2.00061 s, which is 2.00063 s in whole frames at 16 kHz.
    const recording = { sampleRateHz: 44_100, lengthFrames: 88_227 };
    const words = [{ text: "sail", startSeconds: 1, endSeconds: 32_010 / 16_000, confidence: 1 }];
    const window = { language: "en", languages: [], speechSeconds: 1, words };
    const text = assembleText([window], { recording, model: "whisper", options: {} });
    expect(JSON.parse(toJson(text)).lines[0]).toMatchObject({ end: 2, words: [{ end: 2 }] });
    expect(toSrt(text)).toContain("00:00:01,000 --> 00:00:02,000");
  });

  it("[V6] [V3] has language spans where its words are, in order and within the recording", () => {
    const recording = { sampleRateHz: 16_000, lengthFrames: 64_000 };
    const makeWindow = (language: string, startSeconds: number, endSeconds: number) => ({
      language,
      languages: [[language, 0.98765]] as [string, number][],
      speechSeconds: endSeconds - startSeconds,
      words: [{ text: language, startSeconds, endSeconds, confidence: 1 }],
    });
    const windows = [makeWindow("en", 1.00049, 2.3), makeWindow("es", 2.25, 4.0004)];
    const json = JSON.parse(toJson(assembleText(windows, { recording, model: "whisper", options: {} })));
    expect(json.metadata.languageSpans).toEqual([
      { start: 1, end: 2.25, language: "en", confidence: 0.988 },
      { start: 2.25, end: 4, language: "es", confidence: 0.988 },
    ]);
  });
});
