import { countReadyFrames, type PlayablePreviews, type PreviewSource } from "./preview-source.ts";

/** The same stretch of each track, by the track's id. */
export type DecodedChunk = ReadonlyMap<string, AudioBuffer>;

/** What is heard and what comes next. Decoded sound is eight bytes a frame and track: seven tracks of five chunks are 37 MB. */
const KEPT_CHUNKS = 5;

/** Chunks of all tracks, fetched together and decoded; those used last are kept. */
export class ChunkStore {
  readonly #source: PreviewSource;
  readonly #decode: (flac: ArrayBuffer) => Promise<AudioBuffer>;
  readonly #kept = new Map<number, Promise<DecodedChunk>>();

  constructor(source: PreviewSource, decode: (flac: ArrayBuffer) => Promise<AudioBuffer>) {
    this.#source = source;
    this.#decode = decode;
  }

  /** Undefined where not all tracks have come so far. */
  load(previews: PlayablePreviews, index: number): Promise<DecodedChunk> | undefined {
    const end = Math.min(previews.frames, (index + 1) * previews.chunkFrames);
    if (countReadyFrames(previews) < end) return undefined;
    const loading = this.#kept.get(index) ?? this.#fetch(previews, index);
    this.#kept.delete(index);
    this.#kept.set(index, loading);
    loading.catch(() => this.#kept.delete(index));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_CHUNKS) break;
      this.#kept.delete(oldest);
    }
    return loading;
  }

  async #fetch({ version, tracks }: PlayablePreviews, index: number): Promise<DecodedChunk> {
    const ids = tracks.map(({ id }) => id);
    const parts = await this.#source.chunk(index, { version, tracks: ids });
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
