import { closeSync, openSync, writeSync } from "node:fs";
import { makeSyntheticSong } from "../packages/engine/pipelines/fixtures/synthetic-song.ts";

const SAMPLE_RATE_HZ = 44_100;
const LOOP_SECONDS = 30;
const FRAME_BYTES = 4;

/** Writes a stereo wav of 16 bits: the same computed half minute again and again. */
export function writeGeneratedSong(path: string, minutes: number): void {
  const lengthFrames = LOOP_SECONDS * SAMPLE_RATE_HZ;
  const [left = [], right = []] = makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames });
  const loop = Buffer.alloc(lengthFrames * FRAME_BYTES);
  for (let n = 0; n < lengthFrames; n++) {
    loop.writeInt16LE(toInt16(left[n]), n * FRAME_BYTES);
    loop.writeInt16LE(toInt16(right[n]), n * FRAME_BYTES + 2);
  }
  const repeats = (minutes * 60) / LOOP_SECONDS;
  const file = openSync(path, "w");
  try {
    writeSync(file, makeHeader(repeats * loop.length));
    for (let n = 0; n < repeats; n++) writeSync(file, loop);
  } finally {
    closeSync(file);
  }
}

function toInt16(value = 0): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
}

function makeHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  header.writeUInt32LE(SAMPLE_RATE_HZ * FRAME_BYTES, 28);
  header.writeUInt16LE(FRAME_BYTES, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
