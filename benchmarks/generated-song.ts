import { closeSync, openSync, writeSync } from "node:fs";
import { makeSyntheticSong } from "../packages/engine/support/synthetic-song.ts";
import { SAMPLE_RATE_HZ } from "./evaluation-pieces.ts";
import { FRAME_BYTES, makeWavHeader, toInt16 } from "./wav-header.ts";

const LOOP_SECONDS = 30;

/** Writes a 16-bit stereo wav: the same computed half minute, repeated. */
export function writeGeneratedSong(path: string, minutes: number, sampleRateHz = SAMPLE_RATE_HZ): void {
  const lengthFrames = LOOP_SECONDS * sampleRateHz;
  const [left = [], right = []] = makeSyntheticSong({ sampleRateHz, lengthFrames });
  const loop = Buffer.alloc(lengthFrames * FRAME_BYTES);
  for (let n = 0; n < lengthFrames; n++) {
    loop.writeInt16LE(toInt16(left[n]), n * FRAME_BYTES);
    loop.writeInt16LE(toInt16(right[n]), n * FRAME_BYTES + 2);
  }
  const repeats = (minutes * 60) / LOOP_SECONDS;
  const file = openSync(path, "w");
  try {
    writeSync(file, makeWavHeader(repeats * loop.length, sampleRateHz));
    for (let n = 0; n < repeats; n++) writeSync(file, loop);
  } finally {
    closeSync(file);
  }
}
