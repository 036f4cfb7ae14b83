import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { HAS_SOFTWARE_GPU, openSoftwareGpu } from "../../../test/support/software-gpu.ts";
import { loadManifests, type StemManifest } from "../manifests/manifest.ts";
import { findWeightsPath } from "../runtime/weights-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import { getStemFamily } from "./registry.ts";
import { SoundGraph } from "./sound-graph.ts";

const NETWORKS = ["htdemucs", "dialogue-music-effects", "other-splitter"];
/** Short, to save time: any number of slots works. */
const SEGMENT_FRAMES = 16 * 1024;

describe.each(NETWORKS)("%s as one graph", (id) => {
  const found = loadManifests().find((manifest) => manifest.id === id) as StemManifest;
  const manifest = { ...found, segmentFrames: SEGMENT_FRAMES };
  const path = findWeightsPath(manifest.weights) ?? "";
  const family = getStemFamily(manifest);

  it("[S3] returns the same stems as its parts do on the CPU, in float", async () => {
    const segment = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: SEGMENT_FRAMES }) as [
      Float32Array,
      Float32Array,
    ];
    const options = { threads: 2, inBytes: false };
    const { network } = await family.load(path, manifest, options);
    const expected = await network.separate(segment, manifest.stems);
    if (!family.toSoundGraph) throw new Error(`${id} has no graph for GPUs`);
    const whole = await SoundGraph.load(family.toSoundGraph(path, manifest), manifest, options);
    const actual = await whole.separate(segment, manifest.stems);
    for (const stem of manifest.stems) {
      for (const channel of [0, 1]) {
        const [a, b] = [expected.get(stem)![channel]!, actual.get(stem)![channel]!];
        expect(differenceDb(a, b, segment[channel]!), `${stem} ${channel}`).toBeLessThan(-90);
      }
    }
  });
});

it.skipIf(!HAS_SOFTWARE_GPU).each([...NETWORKS, "whisper-tiny"])(
  "[S3] WebGPU leaves no node of %s to the CPU",
  async (id) => {
    // Creating the session is enough: a software GPU would take minutes for a segment.
    const program = [join(import.meta.dirname, "support/load-on-webgpu.ts"), id, String(SEGMENT_FRAMES)];
    const ended = (error: { stdout: string; stderr: string }) => error;
    const running = promisify(execFile)(process.execPath, program, { env: openSoftwareGpu() });
    const { stdout, stderr } = await running.catch(ended);
    expect(stdout, stderr).toBe(JSON.stringify({ runsOn: "webgpu", notices: [] }));
  },
);

/** Level of the difference between two versions of a stem, relative to the input. */
function differenceDb(a: Float32Array, b: Float32Array, sound: Float32Array): number {
  const energy = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
  return 10 * Math.log10(energy(a.map((value, n) => value - b[n]!)) / energy(sound));
}
