import { toSampleRate } from "../../dsp/resampling/resampled-source.ts";
import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import { CEPSTRA, HOP_FRAMES, KALDI_RATE_HZ, KaldiMfcc, subtractSlidingMean } from "./kaldi-mfcc.ts";

/** Rows of context before and after each output of the network. */
const CONTEXT_ROWS = 7;
/** A minute at a time: an hour of cepstra takes 33 MB, its samples three times that. */
const READ_ROWS = 6000;
export const CEPSTRA_PER_SECOND = KALDI_RATE_HZ / HOP_FRAMES;

/** The features of a recording, one row every 10 ms, for `XVector.embed`. */
export type Cepstra = { rows: number; values: Float32Array };

/** Kaldi's x-vector network: speaker embeddings as unit vectors of 128 values, similar for the same voice. */
export class XVector {
  readonly #session: GraphSession;
  readonly #mfcc = new KaldiMfcc();

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** Computes the features of a mono recording at any sample rate. */
  analyse(recording: FrameSource): Cepstra {
    const source = toSampleRate(recording, { sampleRateHz: KALDI_RATE_HZ, isForNetwork: true });
    const rows = Math.ceil(source.lengthFrames / HOP_FRAMES);
    const values = new Float32Array(rows * CEPSTRA);
    for (let row = 0; row < rows; row += READ_ROWS) {
      const count = Math.min(READ_ROWS, rows - row);
      // Each row covers the 25 ms around its middle.
      const [samples = new Float32Array()] = source.read(row * HOP_FRAMES - 60, count * HOP_FRAMES + 120);
      values.set(this.#mfcc.analyse(samples), row * CEPSTRA);
    }
    subtractSlidingMean(values);
    return { rows, values };
  }

  /** The embedding of the rows from `firstRow` on, weighted by `weights`. */
  async embed({ rows, values }: Cepstra, firstRow: number, weights: Float32Array): Promise<Float32Array> {
    const count = weights.length + 2 * CONTEXT_ROWS;
    const kept = new Float32Array(count * CEPSTRA);
    for (let row = 0; row < count; row++) {
      // The edges are padded with the outermost rows.
      const at = Math.min(Math.max(0, firstRow - CONTEXT_ROWS + row), rows - 1) * CEPSTRA;
      kept.set(values.subarray(at, at + CEPSTRA), row * CEPSTRA);
    }
    const outputs = await this.#session.run(
      {
        mfcc: { data: kept, shape: [1, count, CEPSTRA] },
        weight: { data: weights, shape: [1, 1, weights.length] },
      },
      ["embedding"],
    );
    return getTensor(outputs, "embedding").data;
  }
}
