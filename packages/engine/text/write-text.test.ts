import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinLines, type TimedText } from "./timed-text.ts";
import { writeText } from "./write-text.ts";

const metadata = { language: "fr", languageConfidence: 0.98, model: "test" };

const song: TimedText = {
  durationSeconds: 4000,
  metadata,
  lines: [
    {
      words: [
        { text: "Ça ", startSeconds: 1.0004, endSeconds: 1.5, confidence: 0.91234 },
        { text: "va\n\n", startSeconds: 1.5, endSeconds: 2, confidence: 1 },
      ],
    },
    { words: [{ text: "<Tom & Jo>", startSeconds: 3661.25, endSeconds: 3662.5, confidence: 0.5 }] },
  ],
};
const silence: TimedText = { lines: [], durationSeconds: 3, metadata };

describe("writeText", () => {
  it("[Y1] writes json as lines of words that join to the text", () => {
    expect(JSON.parse(writeText(song, "json"))).toEqual({
      text: "Ça va\n\n<Tom & Jo>",
      lines: [
        {
          start: 1,
          end: 2,
          text: "Ça va\n\n",
          words: [
            { start: 1, end: 1.5, text: "Ça ", confidence: 0.912 },
            { start: 1.5, end: 2, text: "va\n\n", confidence: 1 },
          ],
        },
        {
          start: 3661.25,
          end: 3662.5,
          text: "<Tom & Jo>",
          words: [{ start: 3661.25, end: 3662.5, text: "<Tom & Jo>", confidence: 0.5 }],
        },
      ],
      metadata,
    });
  });

  it("[Y1] keeps times monotonic and the text complete, whatever the words", () => {
    const words = fc.array(
      fc.record({ text: fc.string({ minLength: 1 }), seconds: fc.double({ min: 0, max: 5, noNaN: true }) }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (lines) => {
        let now = 0;
        const text: TimedText = {
          durationSeconds: 1000,
          metadata,
          lines: lines.map((line) => ({
            words: line.map(({ text, seconds }) => {
              const startSeconds = now;
              now += seconds;
              return { text, startSeconds, endSeconds: now, confidence: 1 };
            }),
          })),
        };
        const json = JSON.parse(writeText(text, "json")) as {
          text: string;
          lines: {
            start: number;
            end: number;
            text: string;
            words: { start: number; end: number; text: string }[];
          }[];
        };
        expect(json.text).toBe(joinLines(text));
        expect(json.lines.map((line) => line.text).join("")).toBe(json.text);
        const times = json.lines.flatMap((line) => {
          expect(line.words.map((word) => word.text).join("")).toBe(line.text);
          expect([line.words[0]?.start, line.words.at(-1)?.end]).toEqual([line.start, line.end]);
          return line.words.flatMap((word) => [word.start, word.end]);
        });
        expect(times).toEqual([...times].sort((a, b) => a - b));
        expect(writeText(text, "txt")).toBe(json.text);
      }),
    );
  });

  it("[Y2] writes srt with commas and counted cues", () => {
    expect(writeText(song, "srt")).toBe(
      "1\n00:00:01,000 --> 00:00:02,000\nÇa va\n\n2\n01:01:01,250 --> 01:01:02,500\n<\u2060Tom & Jo>\n",
    );
  });

  it("[Y2] writes vtt with its markup escaped", () => {
    expect(writeText(song, "vtt")).toBe(
      "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nÇa va\n\n01:01:01.250 --> 01:01:02.500\n&lt;Tom &amp; Jo&gt;\n",
    );
  });

  /** What FFmpeg and VLC obey in SubRip, and FFmpeg in WebVTT: tags of HTML, SubStation Alpha and MicroDVD, and the times of a cue. */
  const MARKUP = /<[ /]*\w|\{(?:\\|[a-z]:)|\\[nh]|&#?\w+;|\d --> \d/i;

  it.each([
    "<b>loud</b>",
    "< font color=red>",
    "<<i>",
    "{\\an8}up",
    "{Y:i}",
    "one\\Ntwo",
    "&nbsp;",
    "00:00:01,000 --> 00:00:02,000",
  ])("[Y2] no player reads %s as markup", (spoken) => {
    expect(spoken).toMatch(MARKUP);
    const words = [{ text: spoken, startSeconds: 1, endSeconds: 3, confidence: 1 }];
    const rowOf = (format: "srt" | "vtt") =>
      writeText({ ...song, lines: [{ words }] }, format)
        .split("\n")
        .at(-2) ?? "";
    const srt = rowOf("srt");
    expect(srt).not.toMatch(MARKUP);
    expect(srt.replaceAll("\u2060", "")).toBe(spoken.replace("{", "(").replace("}", ")"));
    const vtt = rowOf("vtt");
    expect(vtt.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toMatch(MARKUP);
  });

  it("[Y2] subtitles keep signs that are no markup", () => {
    const spoken = "I <3 AT&T, 1 < 2 > 0";
    const words = [{ text: spoken, startSeconds: 1, endSeconds: 3, confidence: 1 }];
    expect(writeText({ ...song, lines: [{ words }] }, "srt").replaceAll("\u2060", "")).toContain(
      `\n${spoken}\n`,
    );
  });

  it("[Y3] writes lrc with a tag for each line and word, and clears the screen in long pauses", () => {
    expect(writeText(song, "lrc").split("\n")).toEqual([
      "[re:Stemwright]",
      "[la:fr]",
      "[00:01.00]<00:01.00>Ça <00:01.50>va <00:02.00>",
      "[00:02.00]",
      "[61:01.25]<61:01.25><Tom & Jo> <61:02.50>",
      "[61:02.50]",
      "",
    ]);
  });

  it("[Y5] writes ASS that highlights words as they are sung, with pauses and a lead-in", () => {
    const [header = "", events = ""] = writeText(song, "ass").split("[Events]\n");
    expect(header).toContain("[Script Info]");
    expect(header).toContain("Style: Karaoke,");
    expect(events.split("\n").slice(1)).toEqual([
      String.raw`Dialogue: 0,0:00:00.50,0:00:02.00,Karaoke,,0,0,0,,{\k50}{\k50}Ça {\k50}va`,
      String.raw`Dialogue: 0,1:01:00.75,1:01:02.50,Karaoke,,0,0,0,,{\k50}{\k125}<Tom & Jo>`,
      "",
    ]);
  });

  it("[Y5] [Y6] text cannot open an ASS tag or break a row of either format", () => {
    const hostile: TimedText = {
      ...song,
      lines: [
        { words: [{ text: "{\\pos(1,1)}\\N\n- 3\nE\n", startSeconds: 1, endSeconds: 2, confidence: 1 }] },
      ],
    };
    expect(writeText(hostile, "ass").split("\n").at(-2)).toBe(
      String.raw`Dialogue: 0,0:00:00.50,0:00:02.00,Karaoke,,0,0,0,,{\k50}{\k100}` +
        "(\\\u2060pos(1,1))\\\u2060N - 3 E",
    );
    expect(writeText(hostile, "ultrastar").split("\n").slice(-3)).toEqual([
      ": 0 50 0 {\\pos(1,1)}\\N - 3 E",
      "E",
      "",
    ]);
  });

  it("[Y5] the tags of a line add up to its length, however short its words", () => {
    const words = Array.from({ length: 100 }, (_, n) => ({
      text: "la ",
      startSeconds: 1 + n * 0.033,
      endSeconds: 1 + (n + 1) * 0.033,
      confidence: 1,
    }));
    const row = writeText({ ...song, lines: [{ words }] }, "ass");
    const lengths = [...row.matchAll(/\\k(\d+)/g)].map(([, length]) => Number(length));
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(50 + 330);
  });

  it("[Y6] writes UltraStar with a gap, a flat note for each word, and a dash between lines", () => {
    expect(writeText(song, "ultrastar").split("\n")).toEqual([
      "#VERSION:1.0.0",
      "#TITLE:Unknown",
      "#ARTIST:Unknown",
      "#LANGUAGE:French",
      "#CREATOR:Stemwright",
      "#MP3:song.mp3",
      "#BPM:750",
      "#GAP:1000",
      ": 0 25 0 Ça ",
      ": 25 25 0 va",
      "- 50",
      ": 183013 62 0 <Tom & Jo>",
      "E",
      "",
    ]);
  });

  it("[Y6] notes follow each other and last at least a beat, whatever the times", () => {
    const span = fc.tuple(
      fc.double({ min: 0, max: 9, noNaN: true }),
      fc.double({ min: 0, max: 9, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(span, { maxLength: 9 }), { maxLength: 5 }), (lines) => {
        const text: TimedText = {
          ...song,
          lines: lines.map((spans) => ({
            words: spans.map(([startSeconds, endSeconds]) => ({
              text: "la ",
              startSeconds,
              endSeconds,
              confidence: 1,
            })),
          })),
        };
        let behind = 0;
        for (const row of writeText(text, "ultrastar").split("\n")) {
          const [, beat, length = "0"] = /^[:-] (-?\d+)(?: (\d+))?/.exec(row) ?? [];
          if (beat === undefined) continue;
          expect(Number(beat)).toBeGreaterThanOrEqual(behind);
          if (row.startsWith(":")) expect(Number(length)).toBeGreaterThan(0);
          behind = Number(beat) + Number(length);
        }
      }),
    );
  });

  it("[Y2] [Y3] writes right-to-left text in reading order, without direction marks", () => {
    const words = ["זו ", "הייתה ", "אווירה ", "(מטורפת) ", "של ", "2024."];
    const text: TimedText = {
      durationSeconds: 3,
      metadata,
      lines: [
        {
          words: words.map((word, n) => ({
            text: word,
            startSeconds: n / 2,
            endSeconds: (n + 1) / 2,
            confidence: 1,
          })),
        },
      ],
    };
    const written = words.join("");
    expect(writeText(text, "txt")).toBe(written);
    expect(writeText(text, "srt").split("\n")[2]).toBe(written);
    expect(writeText(text, "vtt").split("\n")[3]).toBe(written);
    expect(writeText(text, "lrc").split("\n")[2]).toBe(
      "[00:00.00]<00:00.00>זו <00:00.50>הייתה <00:01.00>אווירה <00:01.50>(מטורפת) <00:02.00>של <00:02.50>2024. <00:03.00>",
    );
  });

  it("[Y1] writes no lines without speech", () => {
    expect(JSON.parse(writeText(silence, "json"))).toEqual({ text: "", lines: [], metadata });
    expect(writeText(silence, "srt")).toBe("");
    expect(writeText(silence, "vtt")).toBe("WEBVTT\n");
    expect(writeText(silence, "txt")).toBe("");
    expect(writeText(silence, "lrc")).toBe("[re:Stemwright]\n[la:fr]\n");
    expect(writeText(silence, "ass")).not.toContain("Dialogue:");
    expect(writeText(silence, "ultrastar")).toMatch(/#GAP:0\nE\n$/);
  });
});

describe("speakers", () => {
  const word = (text: string, startSeconds: number, speaker: number) => ({
    text,
    startSeconds,
    endSeconds: startSeconds + 0.5,
    confidence: 1,
    speaker,
  });
  const talk: TimedText = {
    durationSeconds: 20,
    metadata,
    lines: [{ words: [word("Who ", 1, 1), word("there?\n", 1.5, 1)] }, { words: [word("Me.\n", 2.2, 2)] }],
  };

  it("[VO4] json has the speaker of each line and word", () => {
    const { lines } = JSON.parse(writeText(talk, "json"));
    expect(lines.map(({ speaker }: { speaker: string }) => speaker)).toEqual(["speaker_01", "speaker_02"]);
    expect(lines[1].words[0].speaker).toBe("speaker_02");
    expect(JSON.parse(writeText(song, "json")).lines[0]).not.toHaveProperty("speaker");
  });

  it("[VO5] subtitles and plain text name speakers if requested, and no cue has two", () => {
    expect(writeText(talk, "txt")).toBe("Who there?\nMe.\n");
    expect(writeText(talk, "txt", { hasNames: true })).toBe("Speaker 1: Who there?\nSpeaker 2: Me.\n");
    expect(writeText(talk, "srt", { hasNames: true })).toMatch(
      /\nSpeaker 1: Who there\?\n\n2\n.*\nSpeaker 2: Me\.\n/,
    );
    expect(writeText(talk, "vtt", { hasNames: true })).toMatch(
      /\n<v Speaker 1>Who there\?\n\n.*\n<v Speaker 2>Me\.\n/,
    );
    expect(writeText(talk, "srt")).not.toContain("Speaker");
  });
});
