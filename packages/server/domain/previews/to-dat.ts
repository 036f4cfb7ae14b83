const HEADER_BYTES = 24;
const DAT_VERSION = 2;
const EIGHT_BITS = 1;

/** Pairs of peaks as a `.dat` file of version 2 of BBC's audiowaveform: 8 bits, one channel. */
export function toDat(
  pairs: Buffer,
  { sampleRateHz, level }: { sampleRateHz: number; level: number },
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(DAT_VERSION, 0);
  header.writeUInt32LE(EIGHT_BITS, 4);
  header.writeInt32LE(sampleRateHz, 8);
  header.writeInt32LE(level, 12);
  header.writeUInt32LE(pairs.length / 2, 16);
  header.writeInt32LE(1, 20);
  return Buffer.concat([header, pairs]);
}
