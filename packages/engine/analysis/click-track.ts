import type { Beat } from "./music-analysis.ts";

const CLICK_SECONDS = 0.05;
const DECAY_SECONDS = 0.008;
const LEVEL = 0.5;
const BEAT_HZ = 1000;
const DOWNBEAT_HZ = 1500;

/** A click for each beat, higher on downbeats, on all channels. Blocks are asked for in order. */
export class ClickTrack {
  readonly #beats: readonly Beat[];
  readonly #sampleRateHz: number;
  readonly #channels: number;
  #next = 0;

  constructor(
    beats: readonly Beat[],
    { sampleRateHz, channels }: { sampleRateHz: number; channels: number },
  ) {
    this.#beats = beats;
    this.#sampleRateHz = sampleRateHz;
    this.#channels = channels;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const plane = new Float32Array(lengthFrames);
    const rate = this.#sampleRateHz;
    const clickFrames = Math.round(CLICK_SECONDS * rate);
    while (this.#next < this.#beats.length && this.#frameOf(this.#next) + clickFrames <= startFrame)
      this.#next += 1;
    for (let at = this.#next; at < this.#beats.length; at++) {
      const first = this.#frameOf(at);
      if (first >= startFrame + lengthFrames) break;
      const pitch = (2 * Math.PI * (this.#beats[at]!.beat === 1 ? DOWNBEAT_HZ : BEAT_HZ)) / rate;
      const end = Math.min(clickFrames, startFrame + lengthFrames - first);
      for (let n = Math.max(0, startFrame - first); n < end; n++)
        plane[first - startFrame + n]! += LEVEL * Math.exp(-n / (DECAY_SECONDS * rate)) * Math.cos(pitch * n);
    }
    return Array.from({ length: this.#channels }, (_, channel) => (channel === 0 ? plane : plane.slice()));
  }

  #frameOf(index: number): number {
    return Math.round(this.#beats[index]!.time * this.#sampleRateHz);
  }
}
