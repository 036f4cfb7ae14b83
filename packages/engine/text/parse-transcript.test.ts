import { describe, expect, it } from "vitest";
import { parseTranscript } from "./parse-transcript.ts";

const parse = (text: string) => parseTranscript(Buffer.from(text));

describe("parseTranscript", () => {
  it("[Z1] takes plain text as it is, without a byte order mark", () => {
    expect(parse("\ufeffLine one\r\nline two ")).toBe("Line one\r\nline two ");
    expect(parse("[Chorus]\nLa la")).toBe("[Chorus]\nLa la");
    expect(parse("{sighs} Well.")).toBe("{sighs} Well.");
  });

  it("[Z1] takes json with a text, or lines with texts", () => {
    expect(parse('{ "text": "One two\\n", "lines": [] }')).toBe("One two\n");
    expect(parse('{ "lines": [{ "text": "One" }, { "text": "two" }] }')).toBe("One\ntwo");
  });

  it.each([
    ["is empty", Buffer.from(" \n"), "empty"],
    ["has an empty text", Buffer.from('{"text":""}'), "empty"],
    ["has no text", Buffer.from('{"words":["a"]}'), '"text"'],
    ["is a list", Buffer.from("[1, 2]"), '"text"'],
    ["is no text", Buffer.from([0xff, 0xfe, 0, 1]), "UTF-8"],
    ["holds zeros", Buffer.from("RIFF\0\0"), "UTF-8"],
    ["is too large", Buffer.alloc(4 * 1024 * 1024 + 1, 0x20), "4 MiB"],
  ])("[Z5] refuses what %s", (_, bytes, message) => {
    expect(() => parseTranscript(bytes)).toThrow(
      expect.objectContaining({ kind: "transcript-unusable", message: expect.stringContaining(message) }),
    );
  });
});
