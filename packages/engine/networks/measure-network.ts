import { performance } from "node:perf_hooks";
import { type GpuManifest, isStemManifest } from "../manifests/manifest.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import { NetworkStore } from "./network-store.ts";

/** A network's time per segment on the GPU and on the CPU, and how closely their results agree. */
export type NetworkMeasure = {
  audioSeconds: number;
  gpuMs: number;
  cpuMs: number;
  /** Power of the CPU's result over that of the difference. */
  agreementDb: number;
};

const SPEECH_RATE_HZ = 16_000;
const SPEECH_SECONDS = 30;
/** The fastest of this many runs after the first, which compiles and allocates. */
const RUNS = 2;

/** Throws if the provider rejects the network. */
export async function measureNetwork(
  manifest: GpuManifest,
  options: { executionProvider: ExecutionProvider; threads: number; cacheDir?: string },
): Promise<NetworkMeasure> {
  const gpu = await time(manifest, options);
  const cpu = await time(manifest, { ...options, executionProvider: "cpu" });
  return {
    audioSeconds: cpu.audioSeconds,
    gpuMs: gpu.bestMs,
    cpuMs: cpu.bestMs,
    agreementDb: measureAgreementDb(cpu.result, gpu.result),
  };
}

async function time(
  manifest: GpuManifest,
  {
    executionProvider,
    ...options
  }: { executionProvider: ExecutionProvider; threads: number; cacheDir?: string },
): Promise<{ bestMs: number; result: Float32Array; audioSeconds: number }> {
  const networks = new NetworkStore({
    ...options,
    chooseProvider: async () => executionProvider,
    // The notice says why the network would fall back to the CPU.
    onNotice: (notice) => {
      throw new Error(notice);
    },
  });
  const { infer, audioSeconds } = await open(networks, manifest);
  let result = await infer();
  let bestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    result = await infer();
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return { bestMs, result, audioSeconds };
}

async function open(
  networks: NetworkStore,
  manifest: GpuManifest,
): Promise<{ infer: () => Promise<Float32Array>; audioSeconds: number }> {
  if (!isStemManifest(manifest)) {
    const whisper = await networks.getWhisper(manifest);
    const samples = makeSignal(SPEECH_SECONDS * SPEECH_RATE_HZ, 0);
    return { audioSeconds: SPEECH_SECONDS, infer: async () => (await whisper.encode(samples)).data };
  }
  const { segmentFrames, sampleRateHz, stems } = manifest;
  const { network } = await networks.getNetwork(manifest);
  const segment = [makeSignal(segmentFrames, 0), makeSignal(segmentFrames, 1)] as const;
  return {
    audioSeconds: segmentFrames / sampleRateHz,
    infer: async () => {
      const separated = await network.separate(segment, stems);
      const planes = stems.flatMap((stem) => separated.get(stem) ?? []);
      return Float32Array.from(planes.flatMap((plane) => [...plane.subarray(0, sampleRateHz)]));
    },
  };
}

/** Tones that swell and fade, different in each channel. */
function makeSignal(lengthFrames: number, channel: number): Float32Array {
  return Float32Array.from({ length: lengthFrames }, (_, n) => {
    const swell = 0.5 + 0.5 * Math.sin(n / (7000 + 900 * channel));
    return 0.2 * swell * (Math.sin(n * 0.031) + Math.sin(n * 0.083 + channel) + Math.sin((n * n) / 3e6));
  });
}

/** Power of the expected values over that of the difference. */
export function measureAgreementDb(expected: Float32Array, actual: Float32Array): number {
  let power = 0;
  let error = 0;
  expected.forEach((value, n) => {
    power += value ** 2;
    error += (value - (actual[n] ?? Number.NaN)) ** 2;
  });
  return 10 * Math.log10(power / error);
}
