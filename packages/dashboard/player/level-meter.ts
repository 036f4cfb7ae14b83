/** In dB relative to full scale, which is where loudspeakers clip. */
export type Levels = { meanDb: number; peakDb: number };

/** About 0.19 s: what is measured overlaps between two looks at it, so that no peak is missed. */
const FRAMES = 8192;
const CHANNELS = 2;
const FLOOR = 1e-20;

/** Measures both channels of a node. An analyser mixes its channels into one, which hides the peaks of each. */
export class LevelMeter {
  readonly #analysers: readonly AnalyserNode[];
  readonly #samples = new Float32Array(FRAMES);

  constructor(node: AudioNode) {
    const { context } = node;
    const splitter = context.createChannelSplitter(CHANNELS);
    // A recording of one channel is on both sides.
    const stereo = context.createGain();
    stereo.channelCount = CHANNELS;
    stereo.channelCountMode = "explicit";
    node.connect(stereo).connect(splitter);
    this.#analysers = Array.from({ length: CHANNELS }, (_, channel) => {
      const analyser = context.createAnalyser();
      analyser.fftSize = FRAMES;
      splitter.connect(analyser, channel);
      return analyser;
    });
  }

  measure(): Levels {
    let [power, peak] = [0, 0];
    for (const analyser of this.#analysers) {
      analyser.getFloatTimeDomainData(this.#samples);
      for (const value of this.#samples) {
        power += value * value;
        peak = Math.max(peak, Math.abs(value));
      }
    }
    return {
      meanDb: 10 * Math.log10(Math.max(power / (CHANNELS * FRAMES), FLOOR)),
      peakDb: 10 * Math.log10(Math.max(peak * peak, FLOOR)),
    };
  }
}
