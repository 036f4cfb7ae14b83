import type {
  PeaksQuery,
  PreviewChunk,
  PreviewPeaks,
  PreviewQuery,
  Stemwright,
  TaskPreviews,
} from "@stemwright/sdk";

/** Where previews come from: a Task of one's own, or one that was shared. */
export type PreviewSource = {
  get(): Promise<TaskPreviews>;
  chunk(index: number, query: PreviewQuery, signal?: AbortSignal): Promise<(PreviewChunk | undefined)[]>;
  peaks(query: PeaksQuery): Promise<PreviewPeaks[]>;
  spectra(query: PeaksQuery): Promise<Uint8Array[]>;
};

/** `previews` are those of one's own Tasks, with an id, or those of shares, with a token. */
export const makePreviewSource = (previews: Stemwright["tasks"]["previews"], id: string): PreviewSource => ({
  get: () => previews.get(id),
  chunk: (index, query, signal) => previews.chunk(id, index, query, signal && { signal }),
  peaks: (query) => previews.peaks(id, query),
  spectra: (query) => previews.spectra(id, query),
});

/** Previews of which at least the first chunk is known. */
export type PlayablePreviews = Pick<TaskPreviews, "spectrum"> & {
  [Key in Exclude<keyof TaskPreviews, "spectrum">]-?: Exclude<TaskPreviews[Key], undefined>;
};

export const isPlayable = (previews: TaskPreviews): previews is PlayablePreviews =>
  previews.version !== undefined && previews.tracks.length > 0;

/** How many frames can be played: as far as the tracks named have come. */
export function countReadyFrames(
  { tracks, frames, chunkFrames }: PlayablePreviews,
  ids: readonly string[] = tracks.map(({ id }) => id),
): number {
  const chunks = Math.min(...tracks.filter(({ id }) => ids.includes(id)).map((track) => track.chunks));
  return Math.min(frames, chunks * chunkFrames);
}
