import type { TaskPreviews } from "@stemwright/contract";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

export type PreviewChunk = {
  /** Multiply the decoded samples by this. */
  gain: number;
  /** A whole FLAC file: pass it to `decodeAudioData`. */
  flac: Uint8Array<ArrayBuffer>;
};

export type PreviewPeaks = {
  /** Frames for each pair. */
  level: number;
  /** Pairs of lowest and highest sample, -128 to 127. */
  pairs: Int8Array<ArrayBuffer>;
};

/** Which part of the previews: `version` as `get` returns it, and ids of tracks. */
export type PreviewQuery = { version: string; tracks: string[] };
export type PeaksQuery = PreviewQuery & {
  /** One of `peakLevels`, or of `spectrum.levels`. */
  level: number;
  /** First chunk, and the end (exclusive). */
  from?: number;
  to?: number;
};

const DAT_HEADER_BYTES = 24;
const GAIN_BYTES = 4;

const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length);

/** Sound and waveforms of a Task's input and stems, chunk by chunk, also while it runs. */
export class Previews {
  readonly #transport: Transport;
  readonly #toPath: (id: string) => string;

  constructor(transport: Transport, toPath: (id: string) => string) {
    this.#transport = transport;
    this.#toPath = toPath;
  }

  /** What is available so far. */
  get(id: string, options?: RequestOptions): Promise<TaskPreviews> {
    return this.#transport.load({ method: "GET", path: this.#toPath(id) }, options);
  }

  /**
   * The same chunk of several tracks, in one request; undefined if a track is not ready there.
   *
   * @example
   * const { version, tracks } = await client.tasks.previews.get(id);
   * const [input] = await client.tasks.previews.chunk(id, 0, { version, tracks: ["input"] });
   * const sound = await audioContext.decodeAudioData(input.flac.buffer);
   */
  async chunk(
    id: string,
    index: number,
    query: PreviewQuery,
    options?: RequestOptions,
  ): Promise<(PreviewChunk | undefined)[]> {
    const parts = await this.#parts(`${this.#toPath(id)}/chunks/${index}`, query, options);
    return parts.map((part) =>
      part.length === 0
        ? undefined
        : { gain: viewOf(part).getFloat32(0, true), flac: part.slice(GAIN_BYTES) },
    );
  }

  /** Waveforms of several tracks. */
  async peaks(id: string, query: PeaksQuery, options?: RequestOptions): Promise<PreviewPeaks[]> {
    return (await this.#parts(`${this.#toPath(id)}/peaks`, query, options)).map((part) => ({
      level: viewOf(part).getInt32(12, true),
      pairs: new Int8Array(part.slice(DAT_HEADER_BYTES).buffer),
    }));
  }

  /** Spectrograms of several tracks: columns of `spectrum.bands` bytes, the lowest band first. */
  async spectra(id: string, query: PeaksQuery, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>[]> {
    return await this.#parts(`${this.#toPath(id)}/spectra`, query, options);
  }

  /** Views into the response body, without copying megabytes. */
  async #parts(
    path: string,
    { tracks, ...query }: PreviewQuery,
    options: RequestOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>[]> {
    const bytes = await this.#transport.send(
      { method: "GET", path, query: { ...query, tracks: tracks.join() } },
      options,
      (response) => response.arrayBuffer(),
    );
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < bytes.byteLength; ) {
      const length = new DataView(bytes).getUint32(at, true);
      parts.push(new Uint8Array(bytes, at + 4, length));
      at += 4 + length;
    }
    return parts;
  }
}
