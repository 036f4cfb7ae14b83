import { constants } from "node:os";
import { expect, it } from "vitest";
import { DISK_FULL_CODES } from "../../is-disk-full.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";

it.each([
  ...DISK_FULL_CODES.map((name) => ({ name, kind: "disk-full" })),
  { name: "EFBIG" as const, kind: "too-large" },
  { name: "EIO" as const, kind: "encode-failed" },
])("[O11] what FFmpeg fails with for $name is $kind", ({ name, kind }) => {
  const check = () => checkFfmpeg(-constants.errno[name], "encode-failed", "The file cannot be written");
  expect(check).toThrow(expect.objectContaining({ kind }));
});
