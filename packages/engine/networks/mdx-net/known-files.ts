/** What Ultimate Vocal Remover knows of a file: its parameters are not in it. */
export type KnownFile = { stem: string; binCount: number; slotsLog2: number; fftSize: number; gain: number };

type Row = [stem: string, binCount: number, slotsLog2: number, fftSize: number, gain: number, hashes: string];

/**
 * Ultimate Vocal Remover's table of published MDX-Net files (`mdx_model_data/model_data_new.json` of TRvlvr/application_data), by the first eight digits
 * of the hash: the md5 of the last 10,240,000 bytes.
 */
const ROWS: readonly Row[] = [
  ["bass", 2048, 8, 16384, 1.035, "c3b29bdc"],
  ["bass", 2048, 9, 16384, 1.035, "6703e39f"],
  ["drums", 2048, 7, 4096, 1.035, "4910e782"],
  ["drums", 2048, 9, 4096, 1.035, "dc41ede5"],
  ["instrumental", 2048, 8, 5120, 1.025, "1c56ec02"],
  ["instrumental", 2048, 8, 5120, 1.026, "8a88db95"],
  ["instrumental", 2560, 8, 5120, 1.01, "cb790d0c"],
  ["instrumental", 2560, 8, 5120, 1.019, "0f2a6bc5"],
  ["instrumental", 3072, 8, 6144, 1.022, "55657dd7"],
  ["instrumental", 3072, 8, 6144, 1.033, "cc63408d"],
  ["instrumental", 3072, 8, 6144, 1.035, "b06327a0 203f2a39 291c2049 ead8d05d"],
  ["instrumental", 3072, 8, 6144, 1.039, "94ff780b"],
  ["instrumental", 3072, 8, 7680, 1.02, "b6bccda4"],
  ["instrumental", 3072, 8, 7680, 1.021, "b78da4af"],
  ["instrumental", 3072, 8, 7680, 1.028, "e5572e58"],
  ["instrumental", 3072, 8, 7680, 1.035, "488b3e6f ceed6714 d2a1376f f2df6d68"],
  ["instrumental", 3072, 8, 7680, 1.045, "2cdd429c"],
  ["lead vocals", 2048, 8, 6144, 1.035, "2f550118"],
  ["no crowd", 2560, 8, 5120, 1.02, "b02be2d1"],
  ["no lead vocals", 2048, 8, 5120, 1.065, "1d64a6d2"],
  ["other", 2048, 8, 8192, 1.035, "65ab5919"],
  ["other", 2048, 9, 8192, 1.035, "26d308f9"],
  ["reverb", 3072, 9, 6144, 1.035, "cd5b2989"],
  ["vocals", 2048, 8, 6144, 1.03, "a3cd6305"],
  ["vocals", 2048, 8, 6144, 1.035, "0ddfc0eb 6b31de20 d7bff498 d94058f8"],
  ["vocals", 2048, 9, 6144, 1.035, "5f648327"],
  ["vocals", 3072, 8, 7680, 1.009, "970b3f94"],
  ["vocals", 3072, 8, 7680, 1.021, "77d07b26"],
  ["vocals", 3072, 8, 7680, 1.03, "867595e9 b33d9b39 e7324c87"],
  ["vocals", 3072, 8, 7680, 1.043, "53c4baf4 73492b58"],
  ["vocals", 3072, 8, 7680, 1.075, "5d343409"],
  ["vocals", 3072, 8, 7680, 1.75, "398580b6"],
];

const KNOWN_FILES = new Map(
  ROWS.flatMap(([stem, binCount, slotsLog2, fftSize, gain, hashes]) =>
    hashes
      .split(" ")
      .map((hash): [string, KnownFile] => [hash, { stem, binCount, slotsLog2, fftSize, gain }]),
  ),
);

export function findKnownFile(md5: string | undefined): KnownFile | undefined {
  return md5 === undefined ? undefined : KNOWN_FILES.get(md5.slice(0, 8).toLowerCase());
}
