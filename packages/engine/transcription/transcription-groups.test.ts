import { describe, expect, it } from "vitest";
import type { HearingWishes, TextTarget } from "../targets/engine-request.ts";
import { listHearings, toHearingKey } from "./transcription-groups.ts";

const target = (key: string, wishes: HearingWishes = {}): TextTarget => ({
  kind: "text",
  key,
  model: "transcription",
  files: [],
  ...wishes,
});

describe("hearings", () => {
  it("[Z6] [V10] [V11] are shared by targets with the same options, and by no others", () => {
    const wishes: HearingWishes[] = [
      {},
      { language: "en" },
      { language: "en", prompt: "Ships." },
      { language: "en", keywords: ["Siobhan"] },
      { language: "en", isTranslated: true },
    ];
    const targets = wishes.flatMap((wish, n) => [target(`a${n}`, wish), target(`b${n}`, wish)]);
    const hearings = listHearings(targets);
    expect(hearings.map((hearing) => hearing.wishes)).toEqual(wishes);
    expect(hearings.map((hearing) => hearing.targets.map(({ key }) => key))).toEqual(
      wishes.map((_, n) => [`a${n}`, `b${n}`]),
    );
  });

  it("[V7] have a valid file name, the same for the same options", () => {
    expect(toHearingKey({})).toBe("auto");
    expect(toHearingKey({ language: "de", keywords: [], isTranslated: false })).toBe("de");
    expect(toHearingKey({ prompt: "../../a b\0" })).toMatch(/^auto-[0-9a-f]{16}$/);
  });
});
