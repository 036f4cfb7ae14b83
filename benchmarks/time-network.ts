import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { getStemFamily, recogniseCheckpoint } from "../packages/engine/networks/registry.ts";
import { toManifest } from "../packages/engine/networks/support/measure-reference.ts";
import { Reference } from "../packages/engine/networks/support/reference.ts";

/** One chunk of a network, for benchmarks/open-networks.ts: `time-network.ts DESCRIPTION WEIGHTS floats|bytes`. */
const [description = "", weights = "", numbers] = process.argv.slice(2);
const reference = new Reference(description);
const recognised = recogniseCheckpoint(reference.checkpoint);
const manifest = toManifest(recognised, weights);
const options = { threads: 2, inBytes: numbers === "bytes" };
const { network } = await getStemFamily(manifest).load(weights, manifest, options);
const chunk = reference.makeAudio().map((plane) => plane.subarray(0, recognised.segmentFrames));
const wallMs = performance.now();
const before = process.cpuUsage();
await network.separate(chunk as [Float32Array, Float32Array], recognised.stems);
const { user, system } = process.cpuUsage(before);
const [, peakKilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
const figures = {
  wallSeconds: (performance.now() - wallMs) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakMegabytes: Number(peakKilobytes) / 1024,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
