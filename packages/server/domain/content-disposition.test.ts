import { expect, it } from "vitest";
import { toContentDisposition } from "./content-disposition.ts";

it.each([
  ["song.wav", undefined, 'attachment; filename="song.wav"'],
  ["song.wav", "song.wav", 'attachment; filename="song.wav"'],
  ["n-me.ogg", "näme ☃.ogg", "attachment; filename=\"n-me.ogg\"; filename*=UTF-8''n%C3%A4me%20%E2%98%83.ogg"],
  [
    "a-b.wav",
    `a"('*');b.wav`,
    "attachment; filename=\"a-b.wav\"; filename*=UTF-8''a%22%28%27%2A%27%29%3Bb.wav",
  ],
])("[O3] %s of a file named %s is a header by RFC 6266", (plainName, name, header) => {
  expect(toContentDisposition(plainName, name)).toBe(header);
});
