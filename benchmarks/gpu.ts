import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import {
  isStemManifest,
  loadManifests,
  type SpeechManifest,
  type StemManifest,
} from "../packages/engine/manifests/manifest.ts";
import { setSandboxMode } from "../packages/engine/media/index.ts";
import { measureAgreementDb } from "../packages/engine/networks/measure-network.ts";
import { getStemFamily } from "../packages/engine/networks/registry.ts";
import { loadEncoder } from "../packages/engine/networks/whisper/encoder.ts";
import { LogMel, MEL_SHAPE } from "../packages/engine/networks/whisper/log-mel.ts";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";
import { describeGpus } from "../packages/engine/runtime/describe-gpus.ts";
import type { ExecutionProvider } from "../packages/engine/runtime/execution-provider.ts";
import { makeSession } from "../packages/engine/runtime/make-session.ts";
import { findWeightsPath } from "../packages/engine/runtime/weights-file.ts";
import { makeSyntheticSong } from "../packages/engine/support/synthetic-song.ts";
import { writeGeneratedSong } from "./generated-song.ts";
import { describeRun } from "./machine.ts";

/**
 * Each network that GPUs can run, and the whole engine, on a GPU and on the CPU of the same machine.
 * `npm run bench gpu -- [webgpu | cuda] [FOLDER] [MINUTES]`; graphs, input and CPU floats are left in FOLDER for training/gpu_yardstick.py. Networks whose
 * weights are not installed are left out; with 0 minutes so is the engine.
 */
const [provider = "webgpu", given, minutes = "10"] = process.argv.slice(2) as [
  ExecutionProvider?,
  string?,
  string?,
];
const RESULTS = join(import.meta.dirname, "results/gpu");
const GPU_RUNS = 10;
const CPU_RUNS = 3;
const threads = availableParallelism();

type Row = {
  network: string;
  audioSeconds: number;
  runsOn: string;
  firstMs: number;
  gpuMs: number;
  cpuMs: number;
  fromCpuFloatsDb: number | null;
  nodesByProvider: Record<string, number>;
};

type EngineRun = { executionProvider: ExecutionProvider; minutes: number; seconds: number };

const folder = given ?? mkdtempSync(join(tmpdir(), "stemwright-gpu-"));
mkdirSync(folder, { recursive: true });
setSandboxMode("relaxed");
const rows: Row[] = [];
for (const manifest of loadManifests()) {
  if (!isStemManifest(manifest)) continue;
  const path = findWeightsPath(manifest.weights);
  if (path !== undefined && getStemFamily(manifest).toSoundGraph) note(await measureStems(manifest, path));
}
for (const speechNetwork of ["whisper-tiny", "whisper-small"] as const) {
  const manifest = loadManifests({ speechNetwork }).find(
    (one): one is SpeechManifest => one.family === "whisper",
  );
  const path = manifest && findWeightsPath(manifest.weights.encoder);
  if (manifest && path !== undefined) note(await measureEncoder(manifest, path));
}
// The first run on a machine compiles the shaders, which the driver caches.
const engine: EngineRun[] = [];
for (const one of Number(minutes) === 0 ? [] : [provider, provider, "cpu" as const])
  engine.push(await measureEngine(one));
const facts = [...describeRun(), `- GPU: ${describeGpus() ?? "none"}; provider ${provider}`];
writeFileSync(`${RESULTS}.json`, `${JSON.stringify({ facts, rows, engine }, undefined, 2)}\n`);
writeFileSync(`${RESULTS}.md`, format());
process.stdout.write(format());
// process.exit may fail in the networks' threads.
process.kill(process.pid, "SIGKILL");

function note(row: Row): void {
  rows.push(row);
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

async function measureStems(manifest: StemManifest, path: string): Promise<Row> {
  const { id, segmentFrames, sampleRateHz, stems } = manifest;
  const family = getStemFamily(manifest);
  const segment = makeSyntheticSong({ sampleRateHz, lengthFrames: segmentFrames }) as [
    Float32Array,
    Float32Array,
  ];
  const open = async (options: { executionProvider: ExecutionProvider; inBytes?: boolean }) => {
    const { network, runsOn } = await family.load(path, manifest, {
      threads,
      onNotice: console.error,
      ...options,
    });
    const infer = async () => {
      const separated = await network.separate(segment, stems);
      return stems.flatMap((stem) => separated.get(stem) ?? []);
    };
    return { infer, runsOn };
  };
  const floats = joinPlanes(await (await open({ executionProvider: "cpu", inBytes: false })).infer());
  const cpu = await time((await open({ executionProvider: "cpu" })).infer, CPU_RUNS);
  const { infer, runsOn } = await open({ executionProvider: provider });
  const gpu = await time(infer, GPU_RUNS);
  if (!family.toSoundGraph) throw new Error(`${id} has no graph for GPUs`);
  const { file, pad } = family.toSoundGraph(path, manifest);
  const padded = joinPlanes(segment.map(pad));
  save(id, { file, input: padded, expected: floats });
  return {
    network: id,
    audioSeconds: segmentFrames / sampleRateHz,
    runsOn,
    firstMs: gpu.firstMs,
    gpuMs: gpu.medianMs,
    cpuMs: cpu.medianMs,
    fromCpuFloatsDb: measureAgreementDb(floats, joinPlanes(gpu.last)),
    nodesByProvider: await countNodes(file),
  };
}

async function measureEncoder({ id }: SpeechManifest, path: string): Promise<Row> {
  const file = readFileSync(path);
  const bands = new Float32Array(MEL_SHAPE[0] * MEL_SHAPE[1]);
  const [samples = new Float32Array()] = makeSyntheticSong({ sampleRateHz: 16_000, lengthFrames: 480_000 });
  new LogMel().compute(samples, bands);
  const open = (executionProvider: ExecutionProvider) =>
    loadEncoder(id, file, { threads, executionProvider, onNotice: console.error });
  const { encode: encodeOnCpu } = await open("cpu");
  const cpu = await time(() => encodeOnCpu(bands), CPU_RUNS);
  const { encode, runsOn } = await open(provider);
  const gpu = await time(() => encode(bands), GPU_RUNS);
  const times = { firstMs: gpu.firstMs, gpuMs: gpu.medianMs, cpuMs: cpu.medianMs };
  return {
    network: `${id}, encoder`,
    audioSeconds: 30,
    runsOn,
    ...times,
    fromCpuFloatsDb: null,
    nodesByProvider: {},
  };
}

async function time<Result>(
  work: () => Promise<Result>,
  runs: number,
): Promise<{ firstMs: number; medianMs: number; last: Result }> {
  const once = async () => {
    const startMs = performance.now();
    const result = await work();
    return { ms: performance.now() - startMs, result };
  };
  const first = await once();
  const later = [];
  for (let run = 0; run < runs; run++) later.push(await once());
  const sorted = later.map(({ ms }) => ms).sort((a, b) => a - b);
  return { firstMs: first.ms, medianMs: sorted[runs >> 1] ?? 0, last: later.at(-1)?.result ?? first.result };
}

/** Where onnxruntime's profile says the nodes of a graph ran; uses one session, in a process that exits anyway. */
async function countNodes(file: Uint8Array): Promise<Record<string, number>> {
  const prefix = join(folder, "profile");
  const session = await makeSession(file, {
    executionProviders: [provider],
    enableProfiling: true,
    profileFilePrefix: prefix,
  });
  const { default: ort } = await import("../packages/engine/runtime/onnxruntime.ts");
  const [input] = session.inputMetadata;
  if (!input?.isTensor) throw new Error("the graph has no input");
  const shape = input.shape.map(Number);
  const size = shape.reduce((product, length) => product * length, 1);
  await session.run({ [input.name]: new ort.Tensor("float32", new Float32Array(size).fill(0.01), shape) });
  session.endProfiling();
  const name = readdirSync(folder).find((one) => one.startsWith("profile"));
  if (name === undefined) return {};
  const path = join(folder, name);
  const events = JSON.parse(readFileSync(path, "utf8")) as {
    cat?: string;
    name: string;
    args?: { provider?: string };
  }[];
  rmSync(path);
  const counts: Record<string, number> = {};
  for (const { cat, name: event, args } of events) {
    if (cat === "Node" && event.endsWith("_kernel_time") && args?.provider !== undefined)
      counts[args.provider] = (counts[args.provider] ?? 0) + 1;
  }
  return counts;
}

async function measureEngine(executionProvider: ExecutionProvider): Promise<EngineRun> {
  const inputPath = join(folder, "song.wav");
  writeGeneratedSong(inputPath, Number(minutes));
  const workDir = mkdtempSync(join(folder, "work-"));
  const engineProcess = new EngineProcess({ executionProvider, onNotice: console.error });
  const targets = ["drums", "bass", "other", "vocals"].map((model) => ({
    kind: "sound" as const,
    key: model,
    model,
    files: [{ output: "stem" as const, format: "wav" as const, path: join(workDir, `${model}.wav`) }],
  }));
  const startMs = performance.now();
  await engineProcess.run(
    { inputPath, workDir, targets },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  const seconds = (performance.now() - startMs) / 1000;
  await engineProcess.close();
  rmSync(workDir, { recursive: true });
  rmSync(inputPath);
  return { executionProvider, minutes: Number(minutes), seconds };
}

function save(
  name: string,
  { file, input, expected }: { file: Uint8Array; input: Float32Array; expected: Float32Array },
) {
  if (given === undefined) return;
  writeFileSync(join(folder, `${name}.onnx`), file);
  writeFileSync(join(folder, `${name}.input.f32`), input);
  writeFileSync(join(folder, `${name}.cpu.f32`), expected);
}

function joinPlanes(planes: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(planes.reduce((sum, plane) => sum + plane.length, 0));
  let at = 0;
  for (const plane of planes) {
    joined.set(plane, at);
    at += plane.length;
  }
  return joined;
}

function format(): string {
  const perNetwork = rows.map((row) => {
    const { network, audioSeconds, runsOn, firstMs, gpuMs, cpuMs, fromCpuFloatsDb, nodesByProvider } = row;
    const nodes = Object.entries(nodesByProvider).map(([name, count]) => `${name} ${count}`);
    const cells = [
      `${network}, ${audioSeconds.toFixed(1)} s`,
      runsOn,
      `${gpuMs.toFixed(0)} ms (${((audioSeconds * 1000) / gpuMs).toFixed(0)} ×), first ${firstMs.toFixed(0)}`,
      `${cpuMs.toFixed(0)} ms (${((audioSeconds * 1000) / cpuMs).toFixed(1)} ×)`,
      fromCpuFloatsDb === null ? "" : fromCpuFloatsDb.toFixed(1),
      nodes.join(", "),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const whole = engine.map(
    ({ executionProvider, seconds, minutes: length }) =>
      `| ${executionProvider} | ${seconds.toFixed(1)} | ${((length * 60) / seconds).toFixed(1)} × |`,
  );
  return [
    "# Networks on a GPU and on the CPU beside it",
    "",
    ...facts,
    "",
    "A segment from sound to result, median; dB are the power of CPU floats over that of the difference.",
    "",
    "| network | runs on | GPU | CPU | dB | nodes |",
    "|---|---|---|---|---|---|",
    ...perNetwork,
    "",
    `Four stems of a ${minutes}-minute file, decoding, encoding and loading included:`,
    "",
    "| provider | seconds | real time |",
    "|---|---|---|",
    ...whole,
    "",
  ].join("\n");
}
