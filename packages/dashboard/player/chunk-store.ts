import { cutFlac, type FlacFile, parseFlac } from "./cut-flac.ts";
import { countReadyFrames, type PlayablePreviews, type PreviewSource } from "./preview-source.ts";

/** A piece of the recording, in its frames, and its sound by the track's id. */
export type DecodedPiece = { start: number; end: number; sounds: ReadonlyMap<string, AudioBuffer> };

/** One track of a fetched chunk. */
type FetchedTrack = { id: string; gain: number; flac: FlacFile };

/** The current and the next chunks: seven tracks of a chunk are 2.6 MB, and 7.3 MB decoded. */
const KEPT_CHUNKS = 3;

/** Chunks of all tracks, fetched together and decoded piece by piece; an LRU cache. */
export class ChunkStore {
  readonly #source: PreviewSource;
  readonly #decode: (flac: ArrayBuffer) => Promise<AudioBuffer>;
  readonly #kept = new Map<number, Promise<FetchedTrack[]>>();
  readonly #loading = new Map<number, AbortController>();
  #tracks = "";

  constructor(source: PreviewSource, decode: (flac: ArrayBuffer) => Promise<AudioBuffer>) {
    this.#source = source;
    this.#decode = decode;
  }

  /** A piece of about this length that contains the frame; undefined if a track is not ready there. */
  load(
    previews: PlayablePreviews,
    place: { frame: number; lengthFrames: number },
  ): Promise<DecodedPiece> | undefined {
    const index = Math.floor(place.frame / previews.chunkFrames);
    const end = Math.min(previews.frames, (index + 1) * previews.chunkFrames);
    if (countReadyFrames(previews) < end) return undefined;
    return this.#decodePiece(this.#find(previews, index), {
      chunkStart: index * previews.chunkFrames,
      ...place,
    });
  }

  /** Aborts the requests for all other chunks, of megabytes each. */
  keepLoading(wanted: number): void {
    for (const [index, abort] of this.#loading) {
      if (index === wanted) continue;
      abort.abort();
      this.#loading.delete(index);
      this.#kept.delete(index);
    }
  }

  #find(previews: PlayablePreviews, index: number): Promise<FetchedTrack[]> {
    this.#forgetOthers(previews);
    const loading = this.#kept.get(index) ?? this.#fetch(previews, index);
    this.#kept.delete(index);
    this.#kept.set(index, loading);
    loading.catch(() => {
      if (this.#kept.get(index) === loading) this.#kept.delete(index);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_CHUNKS) break;
      this.#kept.delete(oldest);
    }
    return loading;
  }

  /** Drops chunks fetched for other tracks: voices get theirs while the Task runs. */
  #forgetOthers({ tracks }: PlayablePreviews): void {
    const ids = tracks.map(({ id }) => id).join();
    if (ids === this.#tracks) return;
    this.#tracks = ids;
    this.#kept.clear();
  }

  async #fetch({ version, tracks }: PlayablePreviews, index: number): Promise<FetchedTrack[]> {
    const abort = new AbortController();
    this.#loading.set(index, abort);
    try {
      const ids = tracks.map(({ id }) => id);
      const parts = await this.#source.chunk(index, { version, tracks: ids }, abort.signal);
      return ids.map((id, n) => {
        const part = parts[n];
        if (!part) throw new Error(`Chunk ${index} is not available yet`);
        return { id, gain: part.gain, flac: parseFlac(part.flac) };
      });
    } finally {
      if (this.#loading.get(index) === abort) this.#loading.delete(index);
    }
  }

  async #decodePiece(
    fetching: Promise<FetchedTrack[]>,
    { chunkStart, frame, lengthFrames }: { chunkStart: number; frame: number; lengthFrames: number },
  ): Promise<DecodedPiece> {
    const fetched = await fetching;
    const [first] = fetched;
    if (!first) throw new Error("There are no tracks to play");
    const { blockFrames, lengthFrames: chunkFrames } = first.flac;
    const from = Math.floor((frame - chunkStart) / blockFrames);
    const to = Math.min(Math.ceil(chunkFrames / blockFrames), from + Math.ceil(lengthFrames / blockFrames));
    const sounds = await Promise.all(
      fetched.map(async ({ id, gain, flac }): Promise<[string, AudioBuffer]> => {
        const sound = await this.#decode(cutFlac(flac, { from, to }).buffer);
        if (gain !== 1) turnUp(sound, gain);
        return [id, sound];
      }),
    );
    return {
      start: chunkStart + from * blockFrames,
      end: chunkStart + Math.min(chunkFrames, to * blockFrames),
      sounds: new Map(sounds),
    };
  }
}

function turnUp(sound: AudioBuffer, gain: number): void {
  for (let channel = 0; channel < sound.numberOfChannels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let n = 0; n < samples.length; n++) samples[n] = (samples[n] ?? 0) * gain;
  }
}
