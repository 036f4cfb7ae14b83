import { makeSegmentGrid, OverlapAdd, SegmentGains, segmentSpan } from "../../dsp/overlap-add.ts";
import { readSegment } from "../../dsp/read-segment.ts";
import { ArraySource } from "../../dsp/sources/array-source.ts";
import type { Recognised } from "../architecture.ts";
import type { StemNetwork } from "../stem-network.ts";

/** All stems of a signal by the conventions of a network. */
export async function separateWhole(
  network: StemNetwork,
  {
    chunking,
    levelling,
    stems,
    sampleRateHz,
  }: Pick<Recognised, "chunking" | "levelling" | "stems" | "sampleRateHz">,
  planes: readonly Float32Array[],
): Promise<Float32Array[][]> {
  const { mean, deviation } = levelling ? findLevel(planes, levelling) : { mean: 0, deviation: 1 };
  const level = (plane: Float32Array) => plane.map((value) => (value - mean) / deviation);
  const source = new ArraySource(planes.map(level), sampleRateHz);
  const { segmentFrames } = network;
  const grid = makeSegmentGrid({ segmentFrames, chunking, lengthFrames: source.lengthFrames });
  const gains = new SegmentGains(grid);
  const joints = stems.map(() => planes.map(() => new OverlapAdd(gains)));
  const whole = stems.map(() => planes.map(() => new Float32Array(source.lengthFrames)));
  const ends = stems.map(() => planes.map(() => 0));
  for (let index = 0; index < grid.segmentCount; index++) {
    const separated = await network.separate(
      readSegment(source, grid, index) as [Float32Array, Float32Array],
      stems,
    );
    const { marginFrames, lengthFrames } = segmentSpan(grid, index);
    stems.forEach((stem, at) => {
      separated.get(stem)!.forEach((plane, channel) => {
        const piece = plane.subarray(marginFrames, marginFrames + lengthFrames);
        const final = joints[at]![channel]!.add(index, piece);
        whole[at]![channel]!.set(final, ends[at]![channel]!);
        ends[at]![channel]! += final.length;
      });
    });
  }
  return whole.map((stem) => stem.map((plane) => plane.map((value) => value * deviation + mean)));
}

/** Of the mean of both channels. */
function findLevel(
  planes: readonly Float32Array[],
  kind: "population" | "sample",
): { mean: number; deviation: number } {
  const length = planes[0]!.length;
  const mixed = planes[0]!.map((_, n) => planes.reduce((sum, plane) => sum + plane[n]!, 0) / planes.length);
  const mean = mixed.reduce((sum, value) => sum + value, 0) / length;
  const squares = mixed.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return kind === "sample"
    ? { mean, deviation: Math.sqrt(squares / (length - 1)) + 1e-8 }
    : { mean, deviation: Math.sqrt(squares / length) };
}
