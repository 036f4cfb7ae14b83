import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../../shell/theme.ts";
import { drawSpectrogram, type TrackSpectrum } from "./draw-spectrogram.ts";
import { drawWaveform, type TrackPeaks } from "./draw-waveform.ts";
import { toFrame, type View } from "./view.ts";

export type Drawing =
  | { kind: "waveform"; peaks: TrackPeaks | undefined }
  | { kind: "spectrogram"; spectrum: TrackSpectrum | undefined };

function draw(canvas: HTMLCanvasElement, drawing: Drawing, view: View): void {
  const ratio = globalThis.devicePixelRatio || 1;
  // Setting the size also clears it.
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width === 0) return;
  if (drawing.kind === "waveform" && drawing.peaks) drawWaveform(canvas, drawing.peaks, view);
  if (drawing.kind === "spectrogram" && drawing.spectrum) drawSpectrogram(canvas, drawing.spectrum, view);
}

/** Draws one track. A click seeks; on the keyboard the arrow keys do, wherever the focus is. */
export function TrackCanvas({
  name,
  drawing,
  view,
  onSeek,
}: {
  name: string;
  drawing: Drawing;
  view: View;
  onSeek: (frame: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const data = drawing.kind === "waveform" ? drawing.peaks : drawing.spectrum;
  const colours = theme.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const redraw = () => draw(element, drawing, view);
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    redraw();
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", redraw);
    };
  }, [drawing.kind, data, view.start, view.end, colours]);
  return (
    <button
      type="button"
      tabIndex={-1}
      class="waveform"
      data-drawn={data === undefined ? undefined : drawing.kind}
      aria-label={`Seek in ${name}`}
      onClick={({ clientX, currentTarget }) => onSeek(toFrame(view, currentTarget, clientX))}
    >
      <canvas ref={canvas} />
    </button>
  );
}
