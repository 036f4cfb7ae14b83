import { expect, it } from "vitest";
import { makeTarHeader, parseTarHeader } from "./tar-header.ts";

const modifiedAt = new Date(0);

it.each([
  { name: "backup.json", sizeBytes: 0 },
  { name: `files/outputs/${"a".repeat(60)}/${"b".repeat(90)}.wav`, sizeBytes: 123 },
  { name: "files/large", sizeBytes: 20 * 1024 ** 3 },
])("[S26] $name of $sizeBytes bytes comes back from its header", (entry) => {
  expect(parseTarHeader(makeTarHeader({ ...entry, modifiedAt }))).toEqual(entry);
});

it("[S26] a header with a flipped bit is refused, and zeros end the archive", () => {
  const header = makeTarHeader({ name: "a", sizeBytes: 1, modifiedAt });
  header.writeUInt8(1, 20);
  expect(() => parseTarHeader(header)).toThrow(/damaged/);
  expect(parseTarHeader(Buffer.alloc(512))).toBeUndefined();
});
