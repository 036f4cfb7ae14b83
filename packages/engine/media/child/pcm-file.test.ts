import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { DISK_FULL_CODES } from "../../is-disk-full.ts";
import { PcmFile } from "./pcm-file.ts";

vi.mock("node:fs", { spy: true });

const folder = mkdtempSync(join(tmpdir(), "stemwright-pcm-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("writes silence of any length, and allocates nothing for zero frames", () => {
  const path = join(folder, "pcm.f32");
  const fd = openSync(path, "w");
  const file = new PcmFile(fd, 12);
  file.write(Buffer.alloc(24, 1));
  file.writeSilence(10_000);
  using alloc = vi.spyOn(Buffer, "alloc");
  file.writeSilence(0);
  expect(alloc).not.toHaveBeenCalled();
  closeSync(fd);
  expect(file.lengthFrames).toBe(10_002);
  const written = readFileSync(path);
  expect(written.length).toBe(12 * 10_002);
  expect(written.subarray(24).every((byte) => byte === 0)).toBe(true);
});

it.each([
  ...DISK_FULL_CODES.map((code) => ({ code, kind: "disk-full" })),
  { code: "EFBIG", kind: "too-large" },
])("[O11] a write that fails with $code is reported as $kind", ({ code, kind }) => {
  vi.mocked(writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error(code), { code });
  });
  const file = new PcmFile(0, 4);
  expect(() => file.write(Buffer.alloc(4))).toThrow(expect.objectContaining({ kind }));
});
