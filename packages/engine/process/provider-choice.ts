import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { findJson, replaceJson } from "../files/json-file.ts";
import { type GpuManifest, listWeightsFiles } from "../manifests/manifest.ts";
import type { NetworkMeasure } from "../networks/measure-network.ts";
import { describeGpus } from "../runtime/describe-gpus.ts";
import {
  EXECUTION_PROVIDERS,
  type ExecutionProvider,
  GPU_PROVIDERS,
  type ProviderSetting,
} from "../runtime/execution-provider.ts";
import { RUNTIME_VERSION } from "../runtime/onnxruntime.ts";
import { type MeasureCommand, tryOnGpuInChild } from "./gpu-trial.ts";

const choiceSchema = z.object({
  provider: z.enum(EXECUTION_PROVIDERS),
  /** Measured seconds of audio per second of work. */
  gpuSpeed: z.number().optional(),
  cpuSpeed: z.number().optional(),
  /** Why the CPU was chosen although there is a GPU. */
  reason: z.string().optional(),
});

/** What a network runs on here, and why. */
export type NetworkChoice = z.infer<typeof choiceSchema>;

const memorySchema = z.object({ machine: z.string(), networks: z.record(z.string(), choiceSchema) });
type Memory = z.infer<typeof memorySchema>;

/** How much faster a GPU must be to be worth its memory and its driver. */
const WORTHWHILE_GAIN = 1.25;
/** int8 on the CPU is 9 dB from float on a GPU for Whisper's states, 25 dB and more for stems. Less can't be rounding. */
const MIN_AGREEMENT_DB = 6;

export type ChoiceOptions = {
  setting: ProviderSetting;
  threads: number;
  cacheDir?: string;
  modelsDir?: string | undefined;
  onNotice?: (notice: string) => void;
  gpus?: string | undefined;
  tryOnGpu?: (command: MeasureCommand) => Promise<NetworkMeasure>;
};

/**
 * The one place that decides what a network runs on. `auto` measures each network once, on the GPU and on the CPU, and remembers the faster one in the
 * cache folder for this GPU, driver, onnxruntime and these weights. Without a GPU it chooses the CPU, at the cost of listing a few folders.
 */
export class ProviderChoice {
  readonly #options: ChoiceOptions;
  readonly #gpus: string | undefined;
  readonly #made = new Map<string, Promise<NetworkChoice>>();

  constructor(options: ChoiceOptions) {
    this.#options = options;
    this.#gpus = "gpus" in options ? options.gpus : describeGpus();
  }

  choose(manifest: GpuManifest): Promise<NetworkChoice> {
    const made = this.#made.get(manifest.id) ?? this.#make(manifest);
    this.#made.set(manifest.id, made);
    return made;
  }

  /** Earlier measurements, by network. */
  listRemembered(): ReadonlyMap<string, NetworkChoice> {
    const { networks } = this.#recall();
    return new Map(Object.entries(networks).map(([key, choice]) => [key.replace(/ .*/, ""), choice]));
  }

  async #make(manifest: GpuManifest): Promise<NetworkChoice> {
    const { setting } = this.#options;
    if (setting !== "auto") return { provider: setting };
    if (this.#gpus === undefined) return { provider: "cpu" };
    const key = `${manifest.id} ${hashOf(listWeightsFiles(manifest).map(({ sha256 }) => sha256))}`;
    const known = this.#recall().networks[key];
    if (known) return known;
    const choice = await this.#measure(manifest.id);
    this.#remember(key, choice);
    return choice;
  }

  async #measure(network: string): Promise<NetworkChoice> {
    const { threads, cacheDir, modelsDir, onNotice, tryOnGpu = tryOnGpuInChild } = this.#options;
    const faults: string[] = [];
    for (const executionProvider of GPU_PROVIDERS) {
      onNotice?.(
        `Measuring ${network} on ${executionProvider} and on the CPU, once for this GPU and driver.`,
      );
      try {
        const command = {
          network,
          executionProvider,
          threads,
          ...(cacheDir === undefined ? {} : { cacheDir }),
          ...(modelsDir === undefined ? {} : { modelsDir }),
        };
        return judge(executionProvider, await tryOnGpu(command));
      } catch (error) {
        faults.push(`${executionProvider}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return { provider: "cpu", reason: faults.join("; ") };
  }

  #recall(): Memory {
    const machine = hashOf([this.#gpus ?? "", RUNTIME_VERSION]);
    const memory = memorySchema.safeParse(this.#path === undefined ? undefined : findJson(this.#path)).data;
    return memory?.machine === machine ? memory : { machine, networks: {} };
  }

  /** Reads the file again first: another worker may have measured another network meanwhile. */
  #remember(key: string, choice: NetworkChoice): void {
    const { cacheDir } = this.#options;
    if (cacheDir === undefined || this.#path === undefined) return;
    mkdirSync(cacheDir, { recursive: true, mode: 0o700 });
    const memory = this.#recall();
    replaceJson(this.#path, { ...memory, networks: { ...memory.networks, [key]: choice } } satisfies Memory);
  }

  get #path(): string | undefined {
    const { cacheDir } = this.#options;
    return cacheDir === undefined ? undefined : join(cacheDir, "execution-providers.json");
  }
}

function judge(provider: ExecutionProvider, measure: NetworkMeasure): NetworkChoice {
  const { audioSeconds, gpuMs, cpuMs, agreementDb } = measure;
  const speeds = { gpuSpeed: (audioSeconds * 1000) / gpuMs, cpuSpeed: (audioSeconds * 1000) / cpuMs };
  // Also true for NaN.
  if (!(agreementDb > MIN_AGREEMENT_DB)) {
    return {
      provider: "cpu",
      ...speeds,
      reason: `${provider} calculates wrongly: ${agreementDb.toFixed(1)} dB`,
    };
  }
  if (cpuMs < gpuMs * WORTHWHILE_GAIN)
    return { provider: "cpu", ...speeds, reason: `${provider} is no faster` };
  return { provider, ...speeds };
}

function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}
