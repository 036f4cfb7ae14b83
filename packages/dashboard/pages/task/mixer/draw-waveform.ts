import type { View } from "./view.ts";

/** The peaks of a track: pairs for `level` frames each, starting at frame `from`. */
export type TrackPeaks = { level: number; from: number; pairs: Int8Array };

export function drawWaveform(canvas: HTMLCanvasElement, peaks: TrackPeaks, view: View): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const { width, height } = canvas;
  const { level, from, pairs } = peaks;
  const framesPerPixel = (view.end - view.start) / width;
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x++) {
    const first = Math.floor((view.start + x * framesPerPixel - from) / level);
    const last = Math.max(first + 1, Math.ceil((view.start + (x + 1) * framesPerPixel - from) / level));
    if (first < 0 || 2 * first >= pairs.length) continue;
    let [low, high] = [0, 0];
    for (let n = first; n < last && 2 * n < pairs.length; n++) {
      low = Math.min(low, pairs[2 * n] ?? 0);
      high = Math.max(high, pairs[2 * n + 1] ?? 0);
    }
    const top = ((128 - high) / 256) * height;
    const bottom = ((128 - low) / 256) * height;
    context.fillRect(x, top, 1, Math.max(1, bottom - top));
  }
}
