import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { PowerSpectrum } from "../../dsp/transforms/power-spectrum.ts";
import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";

/** Fixed by training: see weights/music-detection/README.md, "How to run it". */
export const MUSIC_RATE_HZ = 44_100;
const HOP_FRAMES = 1024;
const SLOTS_PER_STEP = 4;
/** Frames between two outputs, 93 ms; each output describes the audio around its start. */
export const STEP_FRAMES = SLOTS_PER_STEP * HOP_FRAMES;
/** The receptive field: an output depends on the 378 slots before and after it. */
const CONTEXT_STEPS = 95;

/** Our music detector: the probability of music every 93 ms. */
export class MusicDetector {
  readonly #session: GraphSession;
  readonly #spectrum = new PowerSpectrum({ fftSize: 2048, hopFrames: HOP_FRAMES });

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** The probabilities from `firstStep` on; the same numbers however the recording is split into calls. */
  async infer(
    recording: FrameSource,
    { firstStep, stepCount }: { firstStep: number; stepCount: number },
  ): Promise<Float32Array> {
    const slotCount = countSlots(recording.lengthFrames);
    const firstHeard = Math.max(0, firstStep - CONTEXT_STEPS);
    const firstSlot = firstHeard * SLOTS_PER_STEP;
    const endSlot = Math.min(slotCount, (firstStep + stepCount + CONTEXT_STEPS) * SLOTS_PER_STEP);
    const shape = [1, endSlot - firstSlot, this.#spectrum.binCount];
    const data = this.#spectrum.read(recording, { firstSlot, slotCount: endSlot - firstSlot });
    const outputs = await this.#session.run({ power: { data, shape } }, ["music"]);
    const start = firstStep - firstHeard;
    return getTensor(outputs, "music").data.slice(start, start + stepCount);
  }
}

/** Number of outputs for a recording at the network's sample rate. */
export function countSteps(lengthFrames: number): number {
  return Math.ceil(countSlots(lengthFrames) / SLOTS_PER_STEP);
}

function countSlots(lengthFrames: number): number {
  return Math.floor(lengthFrames / HOP_FRAMES) + 1;
}
