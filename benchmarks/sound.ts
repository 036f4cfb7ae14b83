import type { Sound } from "./evaluation-pieces.ts";
import { FRAME_BYTES, makeWavHeader, toInt16 } from "./wav-header.ts";

export function subtract(mix: Sound, part: Sound | undefined): Sound {
  const [left, right] = mix.map((plane, channel) =>
    plane.map((value, n) => value - (part?.[channel === 0 ? 0 : 1][n] ?? 0)),
  );
  return [left ?? new Float32Array(0), right ?? new Float32Array(0)];
}

/** 16 bits: the other program reads nothing else. */
export function toWav([left, right]: Sound): Buffer {
  const frames = Buffer.alloc(left.length * FRAME_BYTES);
  [left, right].forEach((plane, channel) => {
    plane.forEach((value, n) => {
      frames.writeInt16LE(toInt16(value), n * FRAME_BYTES + 2 * channel);
    });
  });
  return Buffer.concat([makeWavHeader(frames.length), frames]);
}
