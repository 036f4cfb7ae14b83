import { SAMPLE_RATE_HZ } from "./evaluation-pieces.ts";

const WAV_HEADER_BYTES = 44;
/** Two 16-bit channels. */
export const FRAME_BYTES = 4;

/** The header of a 16-bit stereo wav file. */
export function makeWavHeader(dataBytes: number, sampleRateHz = SAMPLE_RATE_HZ): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * FRAME_BYTES, 28);
  header.writeUInt16LE(FRAME_BYTES, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

export function toInt16(value = 0): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
}
