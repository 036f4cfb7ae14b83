import type { FrameSource } from "./frame-source.ts";
import { findCommonPower, mixToMono } from "./mix-to-mono.ts";

/** Enough to know how the channels of a recording relate, however long it is. */
const LOOKS = 64;
const LOOK_FRAMES = 8192;

/** A source mixed to mono, all of it alike: see `mixToMono`. */
export class MonoSource implements FrameSource {
  readonly channels = 1;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #source: FrameSource;
  #sign: 1 | -1 | undefined;

  constructor(source: FrameSource) {
    this.sampleRateHz = source.sampleRateHz;
    this.lengthFrames = source.lengthFrames;
    this.#source = source;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    this.#sign ??= findSign(this.#source);
    return [mixToMono(this.#source.read(startFrame, lengthFrames), this.#sign)];
  }
}

function findSign(source: FrameSource): 1 | -1 {
  if (source.channels !== 2) return 1;
  const hop = Math.max(LOOK_FRAMES, Math.ceil(source.lengthFrames / LOOKS));
  let common = 0;
  for (let start = 0; start < source.lengthFrames; start += hop)
    common += findCommonPower(source.read(start, LOOK_FRAMES));
  return common < 0 ? -1 : 1;
}
