import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { NetworkReport } from "../process/engine-message.ts";
import { EngineProcess, type EngineProcessOptions } from "../process/engine-process.ts";

/** How a network did on a piece of sound made for it. */
export type NetworkCheck = {
  seconds: number;
  /** Seconds of work, with and without loading the network. */
  tookSeconds: number;
  /** Seconds of audio in a second of work. */
  timesRealTime: number;
  runsOn: string;
  /** Of the engine's process. */
  peakMemoryBytes: number | undefined;
  /** Power of the input over that of input − (stem + residual), in dB; infinite if they are equal to the bit. */
  residualDb: number;
  /** Power of the input over that of input − the sum of all stems, in dB: what the network leaves out or adds. */
  sumDb: number;
  levels: { stem: string; rmsDb: number }[];
};

const RATE_HZ = 44_100;
const CHANNELS = 2;

/** Separates some seconds of tones, noise and beats, every stem and one residual, in an engine process as Tasks have it. */
export async function checkNetwork(
  manifest: StemManifest,
  {
    seconds,
    signal,
    onProgress,
    ...options
  }: EngineProcessOptions & {
    seconds: number;
    signal?: AbortSignal | undefined;
    onProgress?: (fraction: number) => void;
  },
): Promise<NetworkCheck> {
  const folder = await mkdtemp(join(tmpdir(), "stemwright-check-"));
  let report: NetworkReport | undefined;
  const engine = new EngineProcess({
    ...options,
    onNetworkLoaded(network) {
      report = network;
    },
  });
  try {
    const inputPath = join(folder, "input.wav");
    const input = makeTestSound(seconds);
    await writeFile(inputPath, toFloatWav(input));
    await mkdir(join(folder, "out"));
    const toPath = (name: string) => join(folder, "out", `${name}.wav`);
    const failures: Error[] = [];
    let peakMemoryBytes: number | undefined;
    const startMs = performance.now();
    await engine.run(
      {
        inputPath,
        workDir: join(folder, "engine"),
        targets: manifest.stems.map((stem, index) => ({
          kind: "sound",
          key: stem,
          model: stem,
          network: manifest.id,
          files: [
            { format: "wav", path: toPath(stem), output: "stem" },
            ...(index === 0
              ? [{ format: "wav" as const, path: toPath(".residual"), output: "residual" as const }]
              : []),
          ],
        })),
      },
      {
        ...(signal && { signal }),
        onProgress: (all) =>
          onProgress?.(all.reduce((sum, { fraction }) => sum + fraction, 0) / manifest.stems.length),
        onTargetDone() {
          peakMemoryBytes = findPeakMemory(engine.pid) ?? peakMemoryBytes;
        },
        onTargetFailed: (_, error) => void failures.push(error),
      },
    );
    const tookSeconds = (performance.now() - startMs) / 1000;
    if (failures[0]) throw failures[0];
    const stems = await Promise.all(manifest.stems.map((stem) => readSamples(toPath(stem))));
    const residual = await readSamples(toPath(".residual"));
    return {
      seconds,
      tookSeconds,
      timesRealTime: seconds / tookSeconds,
      runsOn: report?.runsOn ?? "cpu",
      peakMemoryBytes,
      residualDb: compareDb(input, [...stems.slice(0, 1), residual]),
      sumDb: compareDb(input, stems),
      levels: manifest.stems.map((stem, index) => ({
        stem,
        rmsDb: 10 * Math.log10(powerOf(stems[index] ?? input)),
      })),
    };
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Chords, a beat and a noise floor, different in each channel, interleaved: every band has something. */
function makeTestSound(seconds: number): Float32Array {
  const random = makeSeededRandom(1);
  const frames = Math.round(seconds * RATE_HZ);
  const samples = new Float32Array(frames * CHANNELS);
  for (let n = 0; n < frames; n++) {
    const at = n / RATE_HZ;
    const beat = Math.exp(-12 * (at % 0.5)) * (random() - 0.5);
    for (let channel = 0; channel < CHANNELS; channel++) {
      const chord = [110, 220, 277.2, 329.6, 880].reduce(
        (sum, hz) => sum + Math.sin(2 * Math.PI * hz * at + channel + Math.sin(at)),
        0,
      );
      samples[n * CHANNELS + channel] = 0.06 * chord + 0.3 * beat + 0.004 * (random() - 0.5);
    }
  }
  return samples;
}

const WAV_HEADER_BYTES = 44;
const IEEE_FLOAT = 3;

function toFloatWav(samples: Float32Array): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(IEEE_FLOAT, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(RATE_HZ, 24);
  header.writeUInt32LE(RATE_HZ * CHANNELS * 4, 28);
  header.writeUInt16LE(CHANNELS * 4, 32);
  header.writeUInt16LE(32, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

/** The samples of a WAV file that the engine wrote. */
async function readSamples(path: string): Promise<Float32Array> {
  const file = await readFile(path);
  for (
    let at = 12;
    at + 8 <= file.length;
    at += 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)
  ) {
    if (file.toString("latin1", at, at + 4) !== "data") continue;
    const bytes = Uint8Array.from(file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4)));
    return new Float32Array(bytes.buffer);
  }
  throw new Error(`${path} has no samples`);
}

const powerOf = (samples: Float32Array) =>
  samples.reduce((sum, value) => sum + value * value, 0) / samples.length;

function compareDb(input: Float32Array, parts: readonly Float32Array[]): number {
  if (parts.some(({ length }) => length !== input.length))
    throw new Error("the network's stems are not as long as the input");
  const left = input.map((value, n) => parts.reduce((rest, part) => rest - (part[n] ?? Number.NaN), value));
  return 10 * Math.log10(powerOf(input) / powerOf(left));
}

/** The most that a process has had in memory; Linux alone tells. */
function findPeakMemory(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
