import { useEffect, useRef } from "preact/hooks";

export type View = { start: number; end: number };

/** The peaks of a track, of which each pair stands for `level` frames, from frame `from` on. */
export type TrackPeaks = { level: number; from: number; pairs: Int8Array };

function draw(canvas: HTMLCanvasElement, peaks: TrackPeaks | undefined, view: View): void {
  const ratio = globalThis.devicePixelRatio || 1;
  const { clientWidth, clientHeight } = canvas;
  canvas.width = Math.round(clientWidth * ratio);
  canvas.height = Math.round(clientHeight * ratio);
  const context = canvas.getContext("2d");
  if (!context || !peaks) return;
  const { width, height } = canvas;
  const framesPerPixel = (view.end - view.start) / width;
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x++) {
    const first = Math.floor((view.start + x * framesPerPixel - peaks.from) / peaks.level);
    const last = Math.max(
      first + 1,
      Math.ceil((view.start + (x + 1) * framesPerPixel - peaks.from) / peaks.level),
    );
    let [low, high] = [0, 0];
    for (let n = Math.max(0, first); n < last && 2 * n < peaks.pairs.length; n++) {
      low = Math.min(low, peaks.pairs[2 * n] ?? 0);
      high = Math.max(high, peaks.pairs[2 * n + 1] ?? 0);
    }
    if (first < 0 || 2 * first >= peaks.pairs.length) continue;
    const top = ((128 - high) / 256) * height;
    const bottom = ((128 - low) / 256) * height;
    context.fillRect(x, top, 1, Math.max(1, bottom - top));
  }
}

/** One track's waveform. Pointing at it seeks; with the keyboard the arrow keys do, wherever the focus is. */
export function Waveform({
  name,
  peaks,
  view,
  onSeek,
}: {
  name: string;
  peaks: TrackPeaks | undefined;
  view: View;
  onSeek: (frame: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const redraw = () => draw(element, peaks, view);
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    redraw();
    return () => observer.disconnect();
  }, [peaks, view.start, view.end]);
  return (
    <button
      type="button"
      tabIndex={-1}
      class="waveform"
      aria-label={`Seek in ${name}`}
      onClick={({ clientX, currentTarget }) => {
        const { left, width } = currentTarget.getBoundingClientRect();
        onSeek(view.start + ((clientX - left) / width) * (view.end - view.start));
      }}
    >
      <canvas ref={canvas} />
    </button>
  );
}
