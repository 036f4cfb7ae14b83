/** How loud a track is, and where between the loudspeakers. */
export type Level = { gain: number; pan: number };

type Strip = { node: AudioBufferSourceNode; gain: GainNode; panner: StereoPannerNode | undefined };

/** The context renders so many frames at a time. */
const QUANTUM_FRAMES = 128;

/**
 * A stretch of all tracks on its way to the loudspeakers, behind one gate. The context renders while the page works, so what the page does to
 * tracks one after another is heard: they start at a frame that is still to come, and stop by the gate alone.
 */
export class Stretch {
  /** Its first frame in the recording. */
  readonly frame: number;
  readonly length: number;
  /** Its first frame in the context. */
  contextFrame = 0;
  readonly #gate: GainNode;
  readonly #strips: ReadonlyMap<string, Strip>;

  constructor(
    output: AudioNode,
    sounds: ReadonlyMap<string, AudioBuffer>,
    place: { frame: number; length: number },
  ) {
    this.frame = place.frame;
    this.length = place.length;
    this.#gate = output.context.createGain();
    this.#gate.gain.value = 0;
    this.#gate.connect(output);
    this.#strips = new Map([...sounds].map(([id, sound]) => [id, this.#makeStrip(sound)]));
  }

  get endFrame(): number {
    return this.contextFrame + this.length;
  }

  setLevels(findLevel: (id: string) => Level): void {
    for (const [id, strip] of this.#strips) {
      const { gain, pan } = findLevel(id);
      strip.gain.gain.value = gain;
      this.#pan(strip, pan);
    }
  }

  /** False where the page was held up for so long that some of the tracks may have missed the frame: then it stays silent, and is to be closed. */
  start(contextFrame: number): boolean {
    const { context } = this.#gate;
    this.contextFrame = contextFrame;
    for (const { node } of this.#strips.values()) node.start(contextFrame / context.sampleRate);
    if (Math.round(context.currentTime * context.sampleRate) + QUANTUM_FRAMES > contextFrame) return false;
    this.#gate.gain.value = 1;
    return true;
  }

  /** Silences all tracks at once; then nodes let go of their megabytes, which they would keep until the next collection of garbage. */
  close(): void {
    this.#gate.disconnect();
    for (const { node } of this.#strips.values()) {
      node.stop();
      node.disconnect();
      node.buffer = null;
    }
  }

  #makeStrip(sound: AudioBuffer): Strip {
    const { context } = this.#gate;
    const [node, gain] = [context.createBufferSource(), context.createGain()];
    node.buffer = sound;
    node.connect(gain).connect(this.#gate);
    return { node, gain, panner: undefined };
  }

  /** A panner in the middle is a wire only for two channels (one would be 3 dB down on both sides), so there is none until it is needed. */
  #pan(strip: Strip, pan: number): void {
    if (!strip.panner && pan !== 0) {
      strip.panner = this.#gate.context.createStereoPanner();
      strip.gain.disconnect();
      strip.gain.connect(strip.panner).connect(this.#gate);
    } else if (strip.panner && pan === 0) {
      strip.panner.disconnect();
      strip.panner = undefined;
      strip.gain.disconnect();
      strip.gain.connect(this.#gate);
    }
    if (strip.panner) strip.panner.pan.value = pan;
  }
}
