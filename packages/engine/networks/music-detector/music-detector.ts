import type { FrameSource } from "../../dsp/frame-source.ts";
import { PowerSpectrum } from "../../dsp/power-spectrum.ts";
import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";

/** Of the trained network: see weights/music-detection/README.md, "How to run it". */
export const SAMPLE_RATE_HZ = 44_100;
const HOP_FRAMES = 1024;
const SLOTS_PER_STEP = 4;
/** A step is the distance between two outputs, 93 ms; each describes the sound around its start. */
export const STEP_FRAMES = SLOTS_PER_STEP * HOP_FRAMES;
/** An answer depends on the 378 slots before and after it and on nothing else. */
const CONTEXT_STEPS = 95;

/** Our network for the probability of music, every 93 ms. */
export class MusicDetector {
  readonly #session: GraphSession;
  readonly #spectrum = new PowerSpectrum({ fftSize: 2048, hopFrames: HOP_FRAMES });

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** The probability of music from `firstStep` on; the same numbers for any division into calls. */
  async listen(
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

/** How many answers there are about a recording at the network's rate. */
export function countSteps(lengthFrames: number): number {
  return Math.ceil(countSlots(lengthFrames) / SLOTS_PER_STEP);
}

function countSlots(lengthFrames: number): number {
  return Math.floor(lengthFrames / HOP_FRAMES) + 1;
}
