import type { View } from "./view.ts";

/** The spectrogram of a track: columns of `bands` bytes, each for `level` frames, starting at frame `from`. */
export type TrackSpectrum = {
  level: number;
  from: number;
  bands: number;
  floorDb: number;
  columns: Uint8Array;
};

/** Quieter is not drawn, louder is full brightness; in dBFS per band. */
const DARKEST_DB = -96;
const BRIGHTEST_DB = -18;

type Colour = readonly [number, number, number];

function toRgb(colour: string): Colour {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/** From transparent over the track's colour to that of the text: visible on light and dark backgrounds. */
export function makePalette(track: Colour, text: Colour, floorDb: number): Uint8ClampedArray {
  const palette = new Uint8ClampedArray(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    const db = floorDb * (1 - byte / 255);
    const level = Math.max(0, Math.min(1, (db - DARKEST_DB) / (BRIGHTEST_DB - DARKEST_DB)));
    const towardsText = Math.max(0, (level - 0.65) / 0.35);
    for (let part = 0; part < 3; part++)
      palette[4 * byte + part] = (track[part] ?? 0) * (1 - towardsText) + (text[part] ?? 0) * towardsText;
    palette[4 * byte + 3] = 255 * Math.min(1, level / 0.65) ** 1.3;
  }
  return palette;
}

/** One pixel per byte; low frequencies at the bottom. */
function toImage(columns: Uint8Array, bands: number, palette: Uint8ClampedArray): ImageData {
  const width = columns.length / bands;
  const image = new ImageData(width, bands);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = new Uint32Array(palette.buffer);
  for (let column = 0; column < width; column++)
    for (let band = 0; band < bands; band++)
      pixels[(bands - 1 - band) * width + column] = colours[columns[column * bands + band] ?? 0] ?? 0;
  return image;
}

export function drawSpectrogram(canvas: HTMLCanvasElement, spectrum: TrackSpectrum, view: View): void {
  const context = canvas.getContext("2d");
  const { level, from, bands, columns, floorDb } = spectrum;
  if (!context || columns.length === 0) return;
  const ground = canvas.closest(".mixer-lanes") ?? document.body;
  const palette = makePalette(
    toRgb(getComputedStyle(canvas).color),
    toRgb(getComputedStyle(ground).color),
    floorDb,
  );
  const image = toImage(columns, bands, palette);
  const plain = document.createElement("canvas");
  [plain.width, plain.height] = [image.width, image.height];
  plain.getContext("2d")?.putImageData(image, 0, 0);
  const toX = (frame: number) => ((frame - view.start) / (view.end - view.start)) * canvas.width;
  const left = toX(from);
  context.imageSmoothingQuality = "high";
  context.drawImage(plain, left, 0, toX(from + image.width * level) - left, canvas.height);
  // Otherwise its pixels would be kept until the next garbage collection.
  plain.width = 0;
}
