import { useEffect, useState } from "preact/hooks";
import { reportError } from "../../../parts/toast.ts";
import type { PlayablePreviews, PreviewSource } from "../../../player/preview-source.ts";
import type { Drawing } from "./TrackCanvas.tsx";
import type { View } from "./view.ts";

/** As many pairs as a wide screen has pixels. */
const PAIRS_WANTED = 2500;
/** A column is a few pixels wide at most: eight times as many would be megabytes for seven tracks. */
const COLUMNS_WANTED = 450;

/** The coarsest level that is fine enough for the view. */
export function chooseLevel(levels: readonly number[], { start, end }: View, wanted: number): number {
  return levels.findLast((level) => level <= (end - start) / wanted) ?? levels[0] ?? 1;
}

type Loaded = ReadonlyMap<string, Drawing>;

/** The drawing data of all tracks in the view, in one request; reloaded as they grow. */
export function useDrawings(
  source: PreviewSource,
  previews: PlayablePreviews,
  { view, kind }: { view: View; kind: Drawing["kind"] },
): (id: string) => Drawing {
  const [drawings, setDrawings] = useState<Loaded>(new Map());
  const { version, tracks, chunkFrames, peakLevels, spectrum, status } = previews;
  const isSpectrogram = kind === "spectrogram";
  const level = isSpectrogram
    ? chooseLevel(spectrum.levels, view, COLUMNS_WANTED)
    : chooseLevel(peakLevels, view, PAIRS_WANTED);
  const from = Math.floor(view.start / chunkFrames);
  const to = Math.ceil(view.end / chunkFrames);
  const ready = tracks.map(({ chunks }) => chunks).join();
  useEffect(() => {
    let isOver = false;
    const ids = tracks.map(({ id }) => id);
    const query = { version, tracks: ids, level, from, to };
    const place = { level, from: from * chunkFrames };
    async function load(): Promise<Drawing[]> {
      if (!isSpectrogram)
        return (await source.peaks(query)).map((part) => ({
          kind: "waveform",
          peaks: { ...part, ...place },
        }));
      const { bands, floorDb } = spectrum;
      return (await source.spectra(query)).map((columns) => ({
        kind: "spectrogram",
        spectrum: { ...place, bands, floorDb, columns },
      }));
    }
    load()
      .then((loaded) => {
        if (!isOver) setDrawings(new Map(loaded.map((drawing, n) => [ids[n] ?? "", drawing])));
      })
      .catch(reportError);
    return () => {
      isOver = true;
    };
  }, [source, version, isSpectrogram, level, from, to, ready, status]);
  return (id) => drawings.get(id) ?? { kind: "waveform", peaks: undefined };
}
