import { expect, it } from "vitest";
import { findOutputFault } from "./output-fault.ts";

it.each([
  ["mp4", { channels: 2, pictureCodec: "vp8" }, /coded as vp8.*Ask for m4a.*without mp4/],
  ["m4a", { channels: 2, pictureCodec: "vp8" }, undefined],
  ["mp4", { channels: 2, pictureCodec: "h264" }, undefined],
  ["mp4", { channels: 2, pictureCodec: "h264", container: "mpegts" }, undefined],
  ["mp4", { channels: 2, pictureCodec: "h264", container: "avi" }, /an AVI file.*Ask for m4a/],
  ["mp4", { channels: 2, pictureCodec: "mpeg2video", container: "mpeg" }, /MPEG program stream.*Ask for m4a/],
  ["m4a", { channels: 2, pictureCodec: "h264", container: "avi" }, undefined],
  ["mp4", { channels: 2 }, undefined],
  ["flac", { channels: 9 }, /at most 8 channels, and the input has 9. Ask for wav or aiff/],
  ["flac", { channels: 8 }, undefined],
  ["wav", { channels: 9 }, undefined],
] as const)("[O10] [A6] %s of %j", (format, info, fault) => {
  const found = findOutputFault(format, info);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
