import { describe, expect, it } from "vitest";
import { parseTranscript } from "./parse-transcript.ts";

const parse = (text: string) => parseTranscript(Buffer.from(text));

describe("parseTranscript", () => {
  it("[Z1] takes plain text unchanged, without a byte order mark", () => {
    expect(parse("\ufeffLine one\r\nline two ")).toBe("Line one\r\nline two ");
    expect(parse("[Chorus]\nLa la")).toBe("[Chorus]\nLa la");
    expect(parse("{sighs} Well.")).toBe("{sighs} Well.");
  });

  it("[Z1] takes json with a text, or with lines", () => {
    expect(parse('{ "text": "One two\\n", "lines": [] }')).toBe("One two\n");
    expect(parse('{ "lines": [{ "text": "One" }, { "text": "two" }] }')).toBe("One\ntwo");
  });

  it.each([
    ["lines of texts", '{ "lines": ["One", "two"] }', "One\ntwo"],
    ["lines of words", '{ "lines": [{ "words": [{ "text": "One " }, { "text": "two" }] }] }', "One two"],
    [
      "segments",
      '{ "segments": [{ "id": 0, "start": 0, "text": " One two." }, { "text": " Three." }] }',
      "One two.\nThree.",
    ],
    [
      "segments of words",
      '{ "segments": [{ "words": [{ "word": " One" }, { "word": " two" }] }] }',
      "One two",
    ],
    [
      "text and segments of the same words",
      '{ "text": " One. Two.", "segments": [{ "text": " One." }, { "text": " Two." }], "language": "en" }',
      "One.\nTwo.",
    ],
    ["text and other segments", '{ "text": "One.", "segments": [{ "text": "Two." }] }', "One."],
    ["text and segments without texts", '{ "text": "One.", "segments": [1] }', "One."],
    ["a list of segments", '[{ "start": 0, "text": "One" }, { "text": "two" }]', "One\ntwo"],
    ["a list of lines", '["One", "two"]', "One\ntwo"],
  ])("[Z1] takes json with %s", (_, json, text) => {
    expect(parse(json)).toBe(text);
  });

  it("[Z1] takes UTF-16 with a byte order mark, in either byte order", () => {
    const text = "Grüße, 世界\n";
    const little = Buffer.from(`\ufeff${text}`, "utf16le");
    expect(parseTranscript(little)).toBe(text);
    expect(parseTranscript(Buffer.from(little).swap16())).toBe(text);
    expect(parseTranscript(Buffer.from('\ufeff{ "text": "One" }', "utf16le"))).toBe("One");
  });

  it.each([
    ["is empty", Buffer.from(" \n"), "empty"],
    ["has an empty text", Buffer.from('{"text":""}'), "empty"],
    ["has no text", Buffer.from('{"words":["a"]}'), '"text"'],
    ["is a list", Buffer.from("[1, 2]"), '"text"'],
    ["is Latin-1", Buffer.from("Grüße", "latin1"), "UTF-8"],
    ["is UTF-16 without its mark", Buffer.from("Hello", "utf16le"), "UTF-16 without a byte order mark"],
    ["is half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x41]), "UTF-8"],
    ["shows nothing", Buffer.from("\ufeff \u200b\n"), "empty"],
    ["has empty lines", Buffer.from('{"lines":[{"text":" "}]}'), "empty"],
    ["has no lines", Buffer.from('{"lines":[]}'), '"lines"'],
    ["holds zeros", Buffer.from("RIFF\0\0"), "UTF-8"],
    ["is too large", Buffer.alloc(4 * 1024 * 1024 + 1, 0x20), "4 MiB"],
  ])("[Z5] refuses what %s", (_, bytes, message) => {
    expect(() => parseTranscript(bytes)).toThrow(
      expect.objectContaining({ kind: "transcript-unusable", message: expect.stringContaining(message) }),
    );
  });
});
