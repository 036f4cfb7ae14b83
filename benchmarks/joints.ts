import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeSegmentGrid } from "../packages/engine/dsp/overlap-add.ts";
import { isStemManifest, loadManifests } from "../packages/engine/manifests/manifest.ts";

/**
 * Energy of the second difference where crossfades begin and end, over that of the same frames in a pass with other joints: a click would be above 0. And
 * what shifting the grid changes, relative to the stem.
 */
export type JointFigures = { piece: string; roughnessDb: number; shiftDb: number };

const CHANNELS = 2;
/** 10 ms at 44.1 kHz. */
const NEAR_FRAMES = 441;
const HALF_SEGMENT = "from-0.5";

/**
 * Undefined for a single segment, which has no joint. Reads the spools of two passes in a work folder: the plain one, and one that starts half a segment
 * later.
 */
export function measureJoints(piece: string, folder: string): JointFigures | undefined {
  const manifest = loadManifests().find(({ id }) => id === "htdemucs");
  if (manifest === undefined || !isStemManifest(manifest)) throw new Error("no manifest for htdemucs");
  const { segmentFrames, chunking } = manifest;
  const plain = readSpool(join(folder, "plain/vocals.f32"));
  const startFrame = Math.round(segmentFrames / 2);
  const lengthFrames = plain.length / CHANNELS;
  const grid = makeSegmentGrid({ segmentFrames, chunking, lengthFrames });
  if (grid.segmentCount < 2) return undefined;
  const shifted = readSpool(join(folder, HALF_SEGMENT, "vocals.f32"));
  const edges = Array.from({ length: grid.segmentCount - 1 }, (_, n) => {
    const start = (n + 1) * grid.strideFrames - startFrame;
    return [start, start + grid.segmentFrames - grid.strideFrames];
  }).flat();
  const wanted = plain.subarray(startFrame * CHANNELS);
  return {
    piece,
    roughnessDb: 10 * Math.log10(roughness(wanted, edges) / roughness(shifted, edges)),
    shiftDb: differenceDb(wanted, shifted),
  };
}

function readSpool(path: string): Float32Array {
  return new Float32Array(new Uint8Array(readFileSync(path)).buffer);
}

/** Energy of the second difference near the given frames. */
function roughness(samples: Float32Array, near: readonly number[]): number {
  let energy = 0;
  for (const edge of near) {
    for (let n = (edge - NEAR_FRAMES) * CHANNELS; n < (edge + NEAR_FRAMES) * CHANNELS; n++) {
      const bend = (samples[n + CHANNELS] ?? 0) - 2 * (samples[n] ?? 0) + (samples[n - CHANNELS] ?? 0);
      energy += bend ** 2;
    }
  }
  return energy;
}

function differenceDb(wanted: Float32Array, given: Float32Array): number {
  let power = 0;
  let error = 0;
  wanted.forEach((value, n) => {
    power += value ** 2;
    error += (value - (given[n] ?? 0)) ** 2;
  });
  return 10 * Math.log10(error / power);
}
