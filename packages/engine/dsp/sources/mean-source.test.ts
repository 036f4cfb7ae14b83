import { expect, it } from "vitest";
import { ArraySource } from "./array-source.ts";
import { MeanSource } from "./mean-source.ts";

const constant = (value: number, lengthFrames: number) =>
  new ArraySource([new Float32Array(lengthFrames).fill(value)], 44_100);

/** Records the arrays it returned. */
class WatchedSource extends ArraySource {
  readonly handedOut: Float32Array[] = [];
  override read(startFrame: number, lengthFrames: number): Float32Array[] {
    const planes = super.read(startFrame, lengthFrames);
    this.handedOut.push(...planes);
    return planes;
  }
}

it("[O9] fades each later pass in and releases the memory it read", () => {
  const late = new WatchedSource([new Float32Array(8).fill(4)], 44_100);
  const mean = new MeanSource(constant(1, 10), {
    others: [{ source: late, startFrame: 2 }],
    fadeFrames: 2,
  });
  const [plane] = mean.read(0, 6);
  expect(plane).toEqual(Float32Array.of(1, 1, 1, 2, 2.5, 2.5));
  expect(late.handedOut.map(({ length }) => length)).toEqual([0]);
});
