import { describe, expect, it } from "vitest";
import { toJson } from "../../text/to-json.ts";
import { toSrt } from "../../text/to-subtitles.ts";
import { assembleText } from "./assemble-text.ts";

describe("the text of a recording", () => {
  it("[Y1] [V3] ends with the recording, also where its end would be rounded up", () => {
    // 2.00061 s, which is 2.00063 s in whole frames of the 16 kHz that are listened to.
    const recording = { sampleRateHz: 44_100, lengthFrames: 88_227 };
    const words = [{ text: "sail", startSeconds: 1, endSeconds: 32_010 / 16_000, confidence: 1 }];
    const window = { language: "en", heard: [], speechSeconds: 1, words };
    const text = assembleText([window], { recording, model: "whisper" });
    expect(JSON.parse(toJson(text)).lines[0]).toMatchObject({ end: 2, words: [{ end: 2 }] });
    expect(toSrt(text)).toContain("00:00:01,000 --> 00:00:02,000");
  });
});
