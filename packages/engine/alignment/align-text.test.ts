import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ArraySource } from "../dsp/sources/array-source.ts";
import { LineLog } from "../files/line-log.ts";
import type { TimedText } from "../text/timed-text.ts";
import {
  LETTER_SECONDS,
  makeLetterSound,
  makeLetterWhisper,
  type Sung,
} from "../transcription/support/letter-whisper.ts";
import { alignText } from "./align-text.ts";
import { alignedWindowSchema } from "./force-align.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-align-"));
afterAll(() => rmSync(folder, { recursive: true }));
let logs = 0;

function openLog(name = `log-${logs++}`) {
  return new LineLog(join(folder, name), { identity: { text: name }, entrySchema: alignedWindowSchema });
}

/** Words from a start time on, with 0.1 s between them. */
function sing(text: string, startSeconds: number): Sung[] {
  let now = startSeconds;
  return text.split(" ").map((word) => {
    const sung = { text: word, startSeconds: now };
    now += word.length * LETTER_SECONDS + 0.1;
    return sung;
  });
}

function recognise(words: readonly Sung[], durationSeconds: number): TimedText {
  return {
    lines: [
      {
        words: words.map(({ text, startSeconds }) => ({
          text: `${text} `,
          startSeconds,
          endSeconds: startSeconds + text.length * LETTER_SECONDS,
          confidence: 0.9,
        })),
      },
    ],
    durationSeconds,
    metadata: { language: "en", languageConfidence: 1, model: "test" },
  };
}

async function align(work: {
  text: string;
  sung: readonly Sung[];
  recognised: readonly Sung[];
  durationSeconds: number;
}) {
  const { whisper, encodedSeconds } = makeLetterWhisper();
  const aligned = await alignText({
    text: work.text,
    spoken: recognise(work.recognised, work.durationSeconds),
    source: new ArraySource([makeLetterSound(work.sung, work.durationSeconds)], 16_000),
    getWhisper: async () => whisper,
    log: openLog(),
  });
  return { aligned, words: aligned.lines.flatMap((line) => line.words), encodedSeconds };
}

const SONG = "down by the salley gardens my love and i did meet";

describe("alignText", () => {
  it("[Z1] [Z3] keeps the text, and processes no audio again if it was recognised as written", async () => {
    const sung = sing(SONG, 1);
    const text = "  Down by the salley gardens,\r\nmy love — and I — did meet!\n\n";
    const { aligned, words, encodedSeconds } = await align({
      text,
      sung,
      recognised: sung,
      durationSeconds: 12,
    });
    expect(words.map((word) => word.text).join("")).toBe(text);
    expect(aligned.lines.map((line) => line.words.length)).toEqual([5, 8]);
    expect(encodedSeconds).toEqual([]);
    expect(words[0]?.startSeconds).toBe(1);
    const dash = words[7];
    expect(dash?.text).toBe("— ");
    expect(dash?.startSeconds).toBeGreaterThanOrEqual(words[6]?.endSeconds ?? 0);
    expect(dash?.endSeconds).toBeLessThanOrEqual(words[8]?.startSeconds ?? 0);
  });

  it("[Z3] finds words that were recognised differently, and processes only that part of the audio", async () => {
    const sung = [...sing(SONG, 1), ...sing("she bid me take love easy as leaves grow", 80)];
    const recognised = sung.map((word) => (word.text === "salley" ? { ...word, text: "valley" } : word));
    const text = `${SONG} she bid me take love easy as leaves grow`;
    const { words, encodedSeconds } = await align({ text, sung, recognised, durationSeconds: 90 });
    words.forEach((word, n) => {
      expect(Math.abs(word.startSeconds - (sung[n]?.startSeconds ?? 0)), word.text).toBeLessThan(0.05);
    });
    expect(encodedSeconds).toHaveLength(1);
    expect(encodedSeconds[0]).toBeLessThan(6);
  });

  it("[Z3] finds such words next to dashes and other signs that are not spoken", async () => {
    const refrain = "she bid me take love easy as the zebra hymns grow on the tree";
    const sung = [...sing(SONG.replace("gardens", "gardens zebra yak"), 1), ...sing(refrain, 20)];
    const recognised = sung.filter((word, n) => n > 11 || !["zebra", "yak"].includes(word.text));
    for (const row of ["zebra yak —", "… zebra ♪ yak", "… & zebra — yak — …"]) {
      const text = `${SONG.replace("gardens", `gardens ${row}`)} ${refrain}`;
      const { words, encodedSeconds } = await align({ text, sung, recognised, durationSeconds: 40 });
      const said = words.filter((word) => /\p{L}/u.test(word.text));
      said.forEach((word, n) => {
        expect(Math.abs(word.startSeconds - (sung[n]?.startSeconds ?? 0)), word.text).toBeLessThan(0.05);
      });
      expect(encodedSeconds).toHaveLength(1);
      expect(encodedSeconds[0]).toBeLessThan(7);
    }
  });

  it("[Z3] handles a line that is sung twice and was recognised once", async () => {
    const [line, next] = ["my love and i did meet", "she bid me take life easy"];
    const sung = [...sing(line, 1), ...sing(line, 6), ...sing(next, 10)];
    const recognised = [...sing(line, 1), ...sing(next, 10)];
    const { words } = await align({ text: `${line} ${line} ${next}`, sung, recognised, durationSeconds: 15 });
    words.forEach((word, n) => {
      expect(Math.abs(word.startSeconds - (sung[n]?.startSeconds ?? 0)), word.text).toBeLessThan(0.1);
    });
  });

  it("[Z3] finds a minute and a half that was not recognised at all, window by window", async () => {
    const verse = sing("pale quick foxes jump beyond very lazy brown dogs watching", 40);
    const late = sing("zebra hymns vex bold wizards from the foggy quay", 95);
    const sung = [...sing(SONG, 1), ...verse, ...late, ...sing(SONG, 120)];
    const recognised = [...sing(SONG, 1), ...sing(SONG, 120)];
    const text = sung.map((word) => word.text).join(" ");
    const { words, encodedSeconds } = await align({ text, sung, recognised, durationSeconds: 130 });
    words.forEach((word, n) => {
      expect(Math.abs(word.startSeconds - (sung[n]?.startSeconds ?? 0)), word.text).toBeLessThan(0.1);
    });
    for (const seconds of encodedSeconds) expect(seconds).toBeLessThanOrEqual(30);
  });

  it("[Z4] gives words that are not sung a time between their neighbours and confidence 0", async () => {
    const sung = sing(SONG, 1);
    const text = SONG.replace("gardens", "gardens quixotically").replace("did meet", "did");
    const { words } = await align({ text, sung, recognised: sung, durationSeconds: 12 });
    const index = words.findIndex((word) => word.text.startsWith("quix"));
    expect(words[index]?.confidence).toBe(0);
    expect(words[index]?.startSeconds).toBeGreaterThanOrEqual(words[index - 1]?.endSeconds ?? 0);
    expect(words[index]?.endSeconds).toBeLessThanOrEqual(words[index + 1]?.startSeconds ?? 0);
    expect(words[index - 1]?.confidence).toBe(0.9);
  });

  it("[Z4] gives a verse that is not sung confidence 0, and leaves the others where they are", async () => {
    const verse = "she bid me take love easy as the leaves grow on the tree";
    const refrain = "in a field by the river my love and i did stand";
    const sung = [...sing(SONG, 1), ...sing(refrain, 8), ...sing(verse, 16)];
    // The unsung copy of the verse comes before the refrain.
    const text = `${SONG}\n${verse}\n${refrain}\n${verse}`;
    const { words } = await align({ text, sung, recognised: sung, durationSeconds: 24 });
    const [before, unsung] = [SONG.split(" ").length, verse.split(" ").length];
    expect(words.slice(before, before + unsung).map((word) => word.confidence)).toEqual(
      Array(unsung).fill(0),
    );
    [...words.slice(0, before), ...words.slice(before + unsung)].forEach((word, n) => {
      expect(Math.abs(word.startSeconds - (sung[n]?.startSeconds ?? 0)), word.text).toBeLessThan(0.05);
    });
  });

  it("[Z3] finds words after a verse that is sung but not written, though they are sung there too", async () => {
    const sung = [
      ...sing(SONG, 1),
      ...sing("i would not take it easy but i bid her stay", 9),
      ...sing("i would not mind the weeping willow", 20),
    ];
    const recognised = sung.map((word) => (word.text === "would" ? { ...word, text: "wood" } : word));
    const text = `${SONG}\ni would not mind the weeping willow`;
    const { words } = await align({ text, sung, recognised, durationSeconds: 26 });
    words.slice(SONG.split(" ").length).forEach((word, n) => {
      const { startSeconds } = sung.slice(-7)[n] ?? { startSeconds: 0 };
      expect(Math.abs(word.startSeconds - startSeconds), word.text).toBeLessThan(0.1);
    });
  });

  it("[Z11] headings and repeat marks get confidence 0 and a time between their neighbours", async () => {
    const sung = sing(SONG, 1);
    const text = `[Verse 1: my love]\n${SONG} (x2)\n`;
    const { words } = await align({ text, sung, recognised: sung, durationSeconds: 12 });
    expect(words.map((word) => word.text).join("")).toBe(text);
    const marks = [...words.slice(0, 4), words.at(-1)];
    expect(marks.map((word) => word?.confidence)).toEqual([0, 0, 0, 0, 0]);
    expect(words[4]?.startSeconds).toBe(1);
    expect(words[3]?.endSeconds).toBeLessThanOrEqual(1);
  });

  it("[Z4] does not search for twenty thousand words in a minute", async () => {
    const sung = sing(SONG, 1);
    const text = `${SONG} ${"and then nothing more was ever said ".repeat(2857)}`;
    const { words } = await align({ text, sung, recognised: sung, durationSeconds: 60 });
    expect(words).toHaveLength(11 + 7 * 2857);
    expect(words.slice(11).every((word) => word.confidence < 0.3)).toBe(true);
    const times = words.flatMap((word) => [word.startSeconds, word.endSeconds]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(60);
  });

  it("[Z5] refuses the text of another recording, short or long", async () => {
    const sung = sing(SONG, 1);
    const text = "whatever zebra quiz vexes jumpy foxy wizards";
    for (const durationSeconds of [12, 60]) {
      await expect(align({ text, sung, recognised: sung, durationSeconds })).rejects.toMatchObject({
        kind: "transcript-unusable",
      });
    }
  });

  it("[Z5] accepts a short text that was recognised quite differently, if the audio has it", async () => {
    const sung = sing("salley gardens", 1);
    const { words } = await align({
      text: "Salley gardens".toLowerCase(),
      sung,
      recognised: sing("sally gar dance", 1),
      durationSeconds: 4,
    });
    expect(words.map((word) => Math.round(word.startSeconds * 10) / 10)).toEqual([1, 1.4]);
  });

  it("[Y1] has no lines without speech", async () => {
    const { aligned } = await align({ text: SONG, sung: [], recognised: [], durationSeconds: 5 });
    expect(aligned.lines).toEqual([]);
  });

  it("[V7] a killed run resumes after the windows it had processed", async () => {
    const parts = [0, 1, 2].map((n) => ({
      recognised: sing(SONG, 1 + 80 * n),
      missed: sing("when all the boats came home", 41 + 80 * n),
    }));
    const sung = parts.flatMap(({ recognised, missed }) => [...recognised, ...missed]);
    const work = {
      text: sung.map(({ text }) => text).join(" "),
      spoken: recognise(
        parts.flatMap(({ recognised }) => recognised),
        240,
      ),
      source: new ArraySource([makeLetterSound(sung, 240)], 16_000),
    };
    const whole = makeLetterWhisper();
    const expected = await alignText({ ...work, getWhisper: async () => whole.whisper, log: openLog() });
    const windows = whole.encodedSeconds.length;
    expect(windows).toBeGreaterThan(3);

    const first = makeLetterWhisper();
    const killed = alignText({
      ...work,
      getWhisper: async () => {
        if (first.encodedSeconds.length === 2) throw new Error("killed");
        return first.whisper;
      },
      log: openLog("killed"),
    });
    await expect(killed).rejects.toThrow("killed");
    const second = makeLetterWhisper();
    const resumed = await alignText({
      ...work,
      getWhisper: async () => second.whisper,
      log: openLog("killed"),
    });
    expect(resumed).toEqual(expected);
    expect(second.encodedSeconds).toHaveLength(windows - 2);
  });
});
