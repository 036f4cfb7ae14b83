import type { StemNetwork } from "../models/stem-network.ts";
import type { Look, StemManifest } from "../runtime/model-manifest.ts";

/** The input as it is: what every network gets, and all that a target without a variant needs. */
export const PLAIN_LOOK: Look = { delayShare: 0, isInverted: false, isSwapped: false };

/** A short name that tells one look from another, for folders and checkpoints. */
export function describeLook({ delayShare, isInverted, isSwapped }: Look): string {
  const parts = [
    ...(delayShare === 0 ? [] : [`delayed-${delayShare}`]),
    ...(isInverted ? ["inverted"] : []),
    ...(isSwapped ? ["swapped"] : []),
  ];
  return parts.length === 0 ? "plain" : parts.join("-");
}

/** By how much the input comes later, so that it falls differently onto the grid of segments. */
export function toDelayFrames(look: Look, { segmentFrames }: Pick<StemManifest, "segmentFrames">): number {
  return Math.round(look.delayShare * segmentFrames);
}

/**
 * The network behind a pair of glasses: it sees the segment inverted or with its sides swapped, and what it gives
 * is turned back. A perfect network would answer the same; a trained one errs a little differently each time.
 */
export function lookThrough(network: StemNetwork, look: Look): StemNetwork {
  if (!look.isInverted && !look.isSwapped) return network;
  const turn = ([left, right]: readonly [Float32Array, Float32Array]): [Float32Array, Float32Array] => {
    const [a, b] = look.isSwapped ? [right, left] : [left, right];
    return look.isInverted ? [invert(a), invert(b)] : [a, b];
  };
  return {
    segmentFrames: network.segmentFrames,
    async separate(segment, stems) {
      const seen = await network.separate(turn(segment), stems);
      return new Map([...seen].map(([stem, [left, right]]) => [stem, turn(toPair(left, right))]));
    },
  };
}

function invert(plane: Float32Array): Float32Array {
  return plane.map((value) => -value);
}

function toPair(
  left: Float32Array | undefined,
  right: Float32Array | undefined,
): [Float32Array, Float32Array] {
  if (left === undefined || right === undefined) throw new RangeError("a network gives both sides of a stem");
  return [left, right];
}
