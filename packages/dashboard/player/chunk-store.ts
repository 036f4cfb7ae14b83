import { countReadyFrames, type PlayablePreviews, type PreviewSource } from "./preview-source.ts";

/** The same stretch of each track, by the track's id. */
export type DecodedChunk = ReadonlyMap<string, AudioBuffer>;

/** What is heard and what comes next. Decoded sound is eight bytes a frame and track: seven tracks of three chunks are 22 MB. */
const KEPT_CHUNKS = 3;

/** Chunks of all tracks, fetched together and decoded; those used last are kept. */
export class ChunkStore {
  readonly #source: PreviewSource;
  readonly #decode: (flac: ArrayBuffer) => Promise<AudioBuffer>;
  readonly #kept = new Map<number, Promise<DecodedChunk>>();
  #tracks = "";
  readonly #loading = new Map<number, AbortController>();

  constructor(source: PreviewSource, decode: (flac: ArrayBuffer) => Promise<AudioBuffer>) {
    this.#source = source;
    this.#decode = decode;
  }

  /** Undefined where not all tracks have come so far. */
  load(previews: PlayablePreviews, index: number): Promise<DecodedChunk> | undefined {
    const end = Math.min(previews.frames, (index + 1) * previews.chunkFrames);
    if (countReadyFrames(previews) < end) return undefined;
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

  /** Gives up what is on its way and not wanted any more: each chunk is megabytes of all tracks. */
  keepLoading(wanted: number): void {
    for (const [index, abort] of this.#loading) {
      if (index === wanted) continue;
      abort.abort();
      this.#loading.delete(index);
      this.#kept.delete(index);
    }
  }

  /** Chunks of other tracks are of no use: those of voices come while the Task runs. */
  #forgetOthers({ tracks }: PlayablePreviews): void {
    const ids = tracks.map(({ id }) => id).join();
    if (ids === this.#tracks) return;
    this.#tracks = ids;
    this.#kept.clear();
  }

  async #fetch(previews: PlayablePreviews, index: number): Promise<DecodedChunk> {
    const abort = new AbortController();
    this.#loading.set(index, abort);
    try {
      return await this.#decodeChunk(previews, index, abort.signal);
    } finally {
      if (this.#loading.get(index) === abort) this.#loading.delete(index);
    }
  }

  async #decodeChunk(
    { version, tracks }: PlayablePreviews,
    index: number,
    signal: AbortSignal,
  ): Promise<DecodedChunk> {
    const ids = tracks.map(({ id }) => id);
    const parts = await this.#source.chunk(index, { version, tracks: ids }, signal);
    const decoded = await Promise.all(
      parts.map(async (part) => {
        if (!part) throw new Error(`Chunk ${index} is not there yet`);
        const sound = await this.#decode(part.flac.buffer);
        if (part.gain !== 1) turnUp(sound, part.gain);
        return sound;
      }),
    );
    return new Map(ids.flatMap((id, n) => (decoded[n] ? [[id, decoded[n]]] : [])));
  }
}

function turnUp(sound: AudioBuffer, gain: number): void {
  for (let channel = 0; channel < sound.numberOfChannels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let n = 0; n < samples.length; n++) samples[n] = (samples[n] ?? 0) * gain;
  }
}
