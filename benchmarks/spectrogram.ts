import { crc32, deflateSync } from "node:zlib";
import { type Spectrogram, Stft } from "../packages/engine/dsp/transforms/stft.ts";

const FFT_SIZE = 2048;
const LOWEST_HZ = 40;
const FLOOR_DB = -70;
const SHADES = 32;

/** Level over time and logarithmic frequency as a PNG; `fullScaleDb` is white. */
export function drawSpectrogram(options: {
  samples: Float32Array;
  sampleRateHz: number;
  width: number;
  height: number;
  fullScaleDb: number;
}): Buffer {
  const { samples, sampleRateHz, width, height, fullScaleDb } = options;
  const spectrum = analyse(samples);
  const rows = Array.from({ length: height }, (_, row) => {
    const line = Buffer.alloc(1 + width);
    const share = (height - 1 - row) / (height - 1);
    const hz = LOWEST_HZ * (sampleRateHz / 2 / LOWEST_HZ) ** share;
    const bin = Math.min(spectrum.binCount - 1, Math.round((hz / sampleRateHz) * FFT_SIZE));
    for (let column = 0; column < width; column++) {
      const slot = Math.floor((column / width) * spectrum.slotCount);
      const shade = 1 - (levelDb(spectrum, bin, slot) - fullScaleDb) / FLOOR_DB;
      line[1 + column] = Math.max(0, Math.min(SHADES - 1, Math.round(shade * (SHADES - 1))));
    }
    return line;
  });
  return toPng(width, height, Buffer.concat(rows));
}

/** The loudest point of a signal's spectrogram. */
export function findFullScaleDb(samples: Float32Array): number {
  const spectrum = analyse(samples);
  let highest = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < spectrum.slotCount; slot++) {
    for (let bin = 0; bin < spectrum.binCount; bin++) {
      highest = Math.max(highest, levelDb(spectrum, bin, slot));
    }
  }
  return highest;
}

function analyse(samples: Float32Array): Spectrogram {
  const stft = new Stft({ fftSize: FFT_SIZE, hopFrames: FFT_SIZE / 4, scaling: "orthonormal" });
  const slotCount = Math.floor((samples.length - FFT_SIZE) / stft.hopFrames) + 1;
  const binCount = FFT_SIZE / 2;
  const size = slotCount * binCount;
  const spectrum = {
    re: new Float32Array(size),
    im: new Float32Array(size),
    binCount,
    slotCount,
    binStride: 1,
    slotStride: binCount,
  };
  stft.forward(samples, spectrum);
  return spectrum;
}

function levelDb({ re, im, slotStride }: Spectrogram, bin: number, slot: number): number {
  const at = slot * slotStride + bin;
  return 10 * Math.log10((re[at] ?? 0) ** 2 + (im[at] ?? 0) ** 2 + 1e-20);
}

/** Rows of palette indices, each after its filter byte, as a PNG from black over red to white. */
function toPng(width: number, height: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, with a palette.
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.alloc(3 * SHADES);
  for (let shade = 0; shade < SHADES; shade++) {
    const x = shade / (SHADES - 1);
    palette.set(
      [1.6 * x, 1.8 * x - 0.6, 2.6 * x - 1.6].map((value) =>
        Math.round(255 * Math.max(0, Math.min(1, value))),
      ),
      3 * shade,
    );
  }
  const chunks: [string, Buffer][] = [
    ["IHDR", header],
    ["PLTE", palette],
    ["IDAT", deflateSync(rows, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, ...chunks.map(([type, data]) => toChunk(type, data))]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
