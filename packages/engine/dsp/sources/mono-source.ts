import { ChannelLikeness, mixToMono } from "../mix-to-mono.ts";
import { release } from "../release.ts";
import type { FrameSource } from "./frame-source.ts";

/** Parts of the recording that are compared to find out whether one channel is inverted. */
const LOOKS = 64;
const LOOK_FRAMES = 8192;

/** A source mixed to mono, all of it alike: see `mixToMono`. */
export class MonoSource implements FrameSource {
  readonly channels = 1;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #source: FrameSource;
  #isInverted: boolean | undefined;

  constructor(source: FrameSource) {
    this.sampleRateHz = source.sampleRateHz;
    this.lengthFrames = source.lengthFrames;
    this.#source = source;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    this.#isInverted ??= isOneInverted(this.#source);
    const planes = this.#source.read(startFrame, lengthFrames);
    const mono = mixToMono(planes, this.#isInverted);
    if (planes.length > 1) release(planes);
    return [mono];
  }
}

function isOneInverted(source: FrameSource): boolean {
  if (source.channels !== 2) return false;
  const likeness = new ChannelLikeness();
  const hop = Math.max(LOOK_FRAMES, Math.ceil(source.lengthFrames / LOOKS));
  for (let start = 0; start < source.lengthFrames; start += hop) {
    const planes = source.read(start, LOOK_FRAMES);
    likeness.add(planes);
    release(planes);
  }
  return likeness.isInverted;
}
