import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { countZipBytes, makeZip, type ZipEntry } from "./make-zip.ts";
import { makeDescriptor, makeEnd, makeListEntry, makeLocalHeader } from "./zip-records.ts";

const GIB = 1024 ** 3;
const modifiedAt = new Date("2026-03-04T05:06:08Z");
const entry = (name: string, content: string, sizeBytes = Buffer.byteLength(content)): ZipEntry => ({
  name,
  sizeBytes,
  modifiedAt,
  open: async () =>
    (async function* () {
      for (const letter of content) yield Buffer.from(letter);
    })(),
});

async function collect(entries: ZipEntry[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of makeZip(entries)) parts.push(part);
  return Buffer.concat(parts);
}

describe("a zip archive", () => {
  it("[EX2] stores each file unchanged, with its name, time, size and checksum", async () => {
    const contents = [
      ["vocals.wav", "la la la"],
      ["Müsik – rest.wav", "ü"],
      ["empty.txt", ""],
    ] as const;
    const zip = await collect(contents.map(([name, content]) => entry(name, content)));
    expect(countZipBytes(contents.map(([name, content]) => entry(name, content)))).toBe(zip.length);

    const end = zip.subarray(-22);
    expect(end.readUInt32LE(0)).toBe(0x0605_4b50);
    expect(end.readUInt16LE(10)).toBe(3);
    let at = end.readUInt32LE(16);
    expect(at + end.readUInt32LE(12)).toBe(zip.length - 22);
    for (const [name, content] of contents) {
      const checksum = crc32(content);
      const bytes = Buffer.byteLength(content);
      expect(zip.readUInt32LE(at)).toBe(0x0201_4b50);
      expect([zip.readUInt16LE(at + 12), zip.readUInt16LE(at + 14)]).toEqual([0x28c4, 0x5c64]);
      expect([16, 20, 24].map((offset) => zip.readUInt32LE(at + offset))).toEqual([checksum, bytes, bytes]);
      const nameBytes = zip.readUInt16LE(at + 28);
      expect(zip.toString("utf8", at + 46, at + 46 + nameBytes)).toBe(name);
      const local = zip.readUInt32LE(at + 42);
      expect(zip.readUInt32LE(local)).toBe(0x0403_4b50);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      expect(zip.toString("utf8", start, start + bytes)).toBe(content);
      expect([0, 4, 8, 12].map((offset) => zip.readUInt32LE(start + bytes + offset))).toEqual([
        0x0807_4b50,
        checksum,
        bytes,
        bytes,
      ]);
      at += 46 + nameBytes + zip.readUInt16LE(at + 30);
    }
  });

  it("[EX2] over 4 GiB uses zip64 fields, and its length is known in advance", () => {
    const file = { name: "a.wav", sizeBytes: 5 * GIB, modifiedAt };
    const header = makeLocalHeader(file);
    expect([header.readUInt16LE(4), header.readUInt32LE(18), header.readUInt32LE(22)]).toEqual([
      45, 0xffff_ffff, 0xffff_ffff,
    ]);
    expect(header.readUInt16LE(header.length - 20)).toBe(1);
    const descriptor = makeDescriptor(file, 7);
    expect([descriptor.length, Number(descriptor.readBigUInt64LE(8))]).toEqual([24, 5 * GIB]);
    const listed = makeListEntry(file, { checksum: 7, startByte: 6 * GIB });
    expect([20, 24, 42].map((offset) => listed.readUInt32LE(offset))).toEqual(Array(3).fill(0xffff_ffff));
    const extra = listed.subarray(46 + file.name.length);
    expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 24]);
    expect([4, 12, 20].map((offset) => Number(extra.readBigUInt64LE(offset)))).toEqual([
      5 * GIB,
      5 * GIB,
      6 * GIB,
    ]);
    const end = makeEnd({ count: 2, sizeBytes: 200, startByte: 10 * GIB });
    expect([end.readUInt32LE(0), Number(end.readBigUInt64LE(48))]).toEqual([0x0606_4b50, 10 * GIB]);
    expect([end.readUInt32LE(56), Number(end.readBigUInt64LE(64))]).toEqual([0x0706_4b50, 10 * GIB + 200]);
    // A small file after a large one has a large offset, but is not large itself.
    const far = makeListEntry({ ...file, sizeBytes: 3 }, { checksum: 7, startByte: 6 * GIB });
    expect([20, 42].map((offset) => far.readUInt32LE(offset))).toEqual([3, 0xffff_ffff]);
    expect(far.readUInt16LE(46 + file.name.length + 2)).toBe(8);
    expect(countZipBytes([file, file])).toBe(
      2 * (header.length + 5 * GIB + 24) +
        makeListEntry(file, { checksum: 0, startByte: 0 }).length +
        listed.length +
        end.length,
    );
  });

  it("[EX2] fails if a file does not have the announced length", async () => {
    await expect(collect([entry("a.wav", "short", 6)])).rejects.toThrow("a.wav has 5 bytes instead of 6");
  });
});
