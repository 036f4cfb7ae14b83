import { useEffect, useState } from "preact/hooks";
import { reportError } from "../../../parts/toast.ts";
import type { PlayablePreviews, PreviewSource } from "../../../player/preview-source.ts";
import type { TrackPeaks, View } from "./Waveform.tsx";

/** As many pairs as a wide screen has pixels. */
const PAIRS_WANTED = 2500;

/** The coarsest level that is fine enough for the view. */
export function chooseLevel(levels: readonly number[], { start, end }: View): number {
  const wanted = (end - start) / PAIRS_WANTED;
  return levels.findLast((level) => level <= wanted) ?? levels[0] ?? 1;
}

/** The peaks of all tracks in the view, in one request; again when there are more of them. */
export function usePeaks(
  source: PreviewSource,
  previews: PlayablePreviews,
  view: View,
): ReadonlyMap<string, TrackPeaks> {
  const [peaks, setPeaks] = useState<ReadonlyMap<string, TrackPeaks>>(new Map());
  const { version, tracks, chunkFrames, peakLevels, status } = previews;
  const level = chooseLevel(peakLevels, view);
  const from = Math.floor(view.start / chunkFrames);
  const to = Math.ceil(view.end / chunkFrames);
  const ready = tracks.map(({ chunks }) => chunks).join();
  useEffect(() => {
    let isOver = false;
    const ids = tracks.map(({ id }) => id);
    source
      .peaks({ version, tracks: ids, level, from, to })
      .then((parts) => {
        if (isOver) return;
        const entries = parts.map(
          (part, n) => [ids[n] ?? "", { ...part, from: from * chunkFrames }] as const,
        );
        setPeaks(new Map(entries));
      })
      .catch(reportError);
    return () => {
      isOver = true;
    };
  }, [source, version, level, from, to, ready, status]);
  return peaks;
}
