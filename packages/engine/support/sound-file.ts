import { readFileSync, writeFileSync } from "node:fs";
import { deinterleaveInto, interleave } from "../dsp/interleave.ts";

/** Reads and writes float wav files in a few lines: each use of `media/` would start a process, and a bug there could hide one here. */
export function writeSound(path: string, planes: Float32Array[], sampleRateHz: number): void {
  const frames = interleave(planes);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + frames.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(FLOAT_FORMAT, 20);
  header.writeUInt16LE(planes.length, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * planes.length * 4, 28);
  header.writeUInt16LE(planes.length * 4, 32);
  header.writeUInt16LE(32, 34);
  header.write("data", 36);
  header.writeUInt32LE(frames.byteLength, 40);
  writeFileSync(path, Buffer.concat([header, Buffer.from(frames.buffer)]));
}

export type Sound = { channels: number; sampleRateHz: number; lengthFrames: number; planes: Float32Array[] };

export function readSound(path: string): Sound {
  const bytes = readFileSync(path);
  const format = getChunk(bytes, "fmt ");
  if (![FLOAT_FORMAT, EXTENSIBLE_FORMAT].includes(format.readUInt16LE(0)) || format.readUInt16LE(14) !== 32) {
    throw new Error(`${path} is not a 32-bit float wav file`);
  }
  const channels = format.readUInt16LE(2);
  const data = getChunk(bytes, "data");
  const frames = new Float32Array(new Uint8Array(data).buffer);
  const lengthFrames = frames.length / channels;
  const planes = Array.from({ length: channels }, () => new Float32Array(lengthFrames));
  deinterleaveInto(planes, frames, 0);
  return { channels, sampleRateHz: format.readUInt32LE(4), lengthFrames, planes };
}

const FLOAT_FORMAT = 3;
const EXTENSIBLE_FORMAT = 0xfffe;

function getChunk(bytes: Buffer, id: string): Buffer {
  for (let at = 12; at + 8 <= bytes.length; ) {
    const sizeBytes = bytes.readUInt32LE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === id) return bytes.subarray(at + 8, at + 8 + sizeBytes);
    // Chunks start at even offsets.
    at += 8 + sizeBytes + (sizeBytes % 2);
  }
  throw new Error(`no ${id} chunk`);
}
