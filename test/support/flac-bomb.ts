/** A FLAC file of digital silence: a few bytes per block of 65,535 samples. */
export type FlacBomb = {
  sampleRateHz: number;
  channels: number;
  lengthFrames: number;
  /** Omits the length from the header, which then reveals nothing about the size. */
  isLengthHidden?: boolean;
};

const BLOCK_FRAMES = 65_535;
const BITS = 8;

function makeCrcTable(width: 8 | 16, polynomial: number): number[] {
  const top = 1 << (width - 1);
  const mask = 2 ** width - 1;
  return Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (width - 8);
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc & top ? (crc << 1) ^ polynomial : crc << 1) & mask) >>> 0;
    return crc;
  });
}
const CRC_8 = makeCrcTable(8, 0x07);
const CRC_16 = makeCrcTable(16, 0x8005);
const crc8 = (bytes: readonly number[]) => bytes.reduce((crc, byte) => CRC_8[crc ^ byte] ?? 0, 0);
const crc16 = (bytes: readonly number[]) =>
  bytes.reduce((crc, byte) => ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ byte] ?? 0), 0);

/** UTF-8-like coding, extended to 36 bits. */
function toUtf8Number(value: number): number[] {
  if (value < 0x80) return [value];
  const tail: number[] = [];
  let rest = value;
  let lead = 0x3f;
  do {
    tail.unshift(0x80 | (rest & 0x3f));
    rest = Math.floor(rest / 64);
    lead >>= 1;
  } while (rest > lead);
  return [((~lead & 0x7f) << 1) | rest | (lead === 0 ? 0xfe : 0), ...tail].map((byte) => byte & 0xff);
}

function makeStreamInfo({ sampleRateHz, channels, lengthFrames, isLengthHidden }: FlacBomb): number[] {
  const total = isLengthHidden ? 0n : BigInt(lengthFrames);
  const packed =
    (BigInt(sampleRateHz) << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(BITS - 1) << 36n) | total;
  const block = [BLOCK_FRAMES >> 8, BLOCK_FRAMES & 0xff];
  const packedBytes = Array.from({ length: 8 }, (_, index) =>
    Number((packed >> BigInt(56 - 8 * index)) & 0xffn),
  );
  const content = [...block, ...block, 0, 0, 0, 0, 0, 0, ...packedBytes, ...new Array<number>(16).fill(0)];
  return [0x80, 0, 0, content.length, ...content];
}

function makeFrame(index: number, lengthFrames: number, channels: number): number[] {
  const header = [
    ...[0xff, 0xf8, 0x70, (channels - 1) << 4],
    ...toUtf8Number(index),
    ...[(lengthFrames - 1) >> 8, (lengthFrames - 1) & 0xff],
  ];
  // Each channel: a constant subframe, and its value.
  const subframes = Array.from({ length: channels }, () => [0, 0]).flat();
  const frame = [...header, crc8(header), ...subframes];
  const crc = crc16(frame);
  return [...frame, crc >> 8, crc & 0xff];
}

export function makeFlacBomb(bomb: FlacBomb): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [
    Uint8Array.from([...Buffer.from("fLaC"), ...makeStreamInfo(bomb)]),
  ];
  for (let start = 0; start < bomb.lengthFrames; start += BLOCK_FRAMES) {
    const lengthFrames = Math.min(BLOCK_FRAMES, bomb.lengthFrames - start);
    parts.push(Uint8Array.from(makeFrame(start / BLOCK_FRAMES, lengthFrames, bomb.channels)));
  }
  return new Uint8Array(Buffer.concat(parts));
}
