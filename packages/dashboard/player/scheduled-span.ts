/** Linear gain and pan of a track. */
export type Level = { gain: number; pan: number };

type Strip = { node: AudioBufferSourceNode; gain: GainNode; panner: StereoPannerNode | undefined };

/** Frames per render quantum (Web Audio). */
const QUANTUM_FRAMES = 128;

/**
 * A scheduled span of all tracks, behind one gate. The audio thread keeps rendering while the page works through the tracks, so they are
 * started at a frame in the future and stopped by disconnecting the gate.
 */
export class ScheduledSpan {
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

  /** False if the page was blocked for so long that some tracks may have started late: the span stays silent and must be closed. */
  start(contextFrame: number): boolean {
    const { context } = this.#gate;
    this.contextFrame = contextFrame;
    for (const { node } of this.#strips.values()) node.start(contextFrame / context.sampleRate);
    if (Math.round(context.currentTime * context.sampleRate) + QUANTUM_FRAMES > contextFrame) return false;
    this.#gate.gain.value = 1;
    return true;
  }

  /** Silences all tracks at once, then releases the buffers, which nodes would keep until the next garbage collection. */
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
