import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_PATTERNS, fillPattern, toOutputPattern } from "./output-pattern.ts";
import { planOutputPaths } from "./plan-output-paths.ts";

const stem = { stem: "vocals", ext: "flac" };

describe("where outputs go", () => {
  it("[S21] next to the input by default, under its name", () => {
    expect(fillPattern(DEFAULT_PATTERNS.sound, "music/a song.mp3", stem)).toBe("music/a song/vocals.flac");
    expect(fillPattern(DEFAULT_PATTERNS.text, "talk.mp4", { stem: "transcription", ext: "srt" })).toBe(
      "./talk.srt",
    );
  });

  it("[S21] into a folder with the default's names, or as a pattern says", () => {
    expect(toOutputPattern("stems/", DEFAULT_PATTERNS.sound)).toBe("stems/{name}/{stem}.{ext}");
    expect(toOutputPattern("{dir}/{name}_{stem}.{ext}", DEFAULT_PATTERNS.sound)).toBe(
      "{dir}/{name}_{stem}.{ext}",
    );
    expect(() => toOutputPattern("{artist}.wav", DEFAULT_PATTERNS.sound)).toThrow(/\{artist\}; use \{dir\}/);
  });

  it("[S21] [Y6] an UltraStar song has the extension of its download", () => {
    const targets = [{ model: "transcription", kind: "text" as const, formats: ["srt", "ultrastar"] }];
    const outputs = planOutputPaths({ input: "song.mp3", targets, pattern: "{name}.{ext}" });
    expect(outputs.map(({ path }) => basename(path))).toEqual(["song.srt", "song.ultrastar.txt"]);
  });

  it("[S22] two outputs with the same path, or the input's path, are refused before any work", () => {
    const targets = ["vocals", "drums"].map((model) => ({ model, kind: "sound" as const, formats: ["wav"] }));
    const pattern = "{name}.{ext}";
    expect(() => planOutputPaths({ input: "a.mp3", targets, pattern })).toThrow(/put \{stem\}/);
    expect(() => planOutputPaths({ input: "a.wav", targets: targets.slice(0, 1), pattern })).toThrow(
      /put \{stem\}/,
    );
  });
});
