import type {
  PeaksQuery,
  PreviewChunk,
  PreviewPeaks,
  PreviewQuery,
  Stemwright,
  TaskPreviews,
} from "@stemwright/sdk";

/** Previews of an own or a shared Task. */
export type PreviewSource = {
  get(): Promise<TaskPreviews>;
  chunk(index: number, query: PreviewQuery, signal?: AbortSignal): Promise<(PreviewChunk | undefined)[]>;
  peaks(query: PeaksQuery): Promise<PreviewPeaks[]>;
  spectra(query: PeaksQuery): Promise<Uint8Array[]>;
};

/** `id` is a Task's id for `client.tasks.previews`, a token for `client.shares.previews`. */
export const makePreviewSource = (previews: Stemwright["tasks"]["previews"], id: string): PreviewSource => ({
  get: () => previews.get(id),
  chunk: (index, query, signal) => previews.chunk(id, index, query, signal && { signal }),
  peaks: (query) => previews.peaks(id, query),
  spectra: (query) => previews.spectra(id, query),
});

/** Previews of which at least the first chunk is known. */
export type PlayablePreviews = Pick<TaskPreviews, "mix"> & {
  [Key in Exclude<keyof TaskPreviews, "mix">]-?: Exclude<TaskPreviews[Key], undefined>;
};

export const isPlayable = (previews: TaskPreviews): previews is PlayablePreviews =>
  previews.version !== undefined && previews.tracks.length > 0;

/** Frames that all of the named tracks have. */
export function countReadyFrames(
  { tracks, frames, chunkFrames }: PlayablePreviews,
  ids: readonly string[] = tracks.map(({ id }) => id),
): number {
  const chunks = Math.min(...tracks.filter(({ id }) => ids.includes(id)).map((track) => track.chunks));
  return Math.min(frames, chunks * chunkFrames);
}
