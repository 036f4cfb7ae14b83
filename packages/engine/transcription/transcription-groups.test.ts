import { describe, expect, it } from "vitest";
import type { TextTarget, TranscriptionOptions } from "../targets/engine-request.ts";
import { groupTranscriptions, toTranscriptionKey } from "./transcription-groups.ts";

const target = (key: string, options: TranscriptionOptions = {}): TextTarget => ({
  kind: "text",
  key,
  model: "transcription",
  files: [],
  ...options,
});

describe("groups", () => {
  it("[Z6] [V10] [V11] are shared by targets with the same options, and by no others", () => {
    const options: TranscriptionOptions[] = [
      {},
      { language: "en" },
      { language: "en", prompt: "Ships." },
      { language: "en", keywords: ["Siobhan"] },
      { language: "en", translate: true },
    ];
    const targets = options.flatMap((option, n) => [target(`a${n}`, option), target(`b${n}`, option)]);
    const groups = groupTranscriptions(targets);
    expect(groups.map((context) => context.options)).toEqual(options);
    expect(groups.map((context) => context.targets.map(({ key }) => key))).toEqual(
      options.map((_, n) => [`a${n}`, `b${n}`]),
    );
  });

  it("[V7] have a valid file name, the same for the same options", () => {
    expect(toTranscriptionKey({})).toBe("auto");
    expect(toTranscriptionKey({ language: "de", keywords: [], translate: false })).toBe("de");
    expect(toTranscriptionKey({ prompt: "../../a b\0" })).toMatch(/^auto-[0-9a-f]{16}$/);
  });
});
