import { fork } from "node:child_process";
import { extname, join } from "node:path";
import { loadManifests, SPEECH_NETWORKS } from "../manifests/manifest.ts";
import { measureNetwork, type NetworkMeasure } from "../networks/measure-network.ts";
import { isGpuManifest } from "../networks/registry.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import { ENGINE_FLAGS, makeEngineEnvironment } from "./engine-environment.ts";

/** TypeScript in a checkout, JavaScript in the published package. */
const CHILD_PATH = join(import.meta.dirname, `gpu-trial-child${extname(import.meta.filename)}`);
/** The first segment on a GPU took 4 s, including shader compilation; the CPU's part is three segments. */
const LIMIT_MS = 120_000;

export type MeasureCommand = {
  network: string;
  executionProvider: ExecutionProvider;
  threads: number;
  cacheDir?: string;
  modelsDir?: string;
};

export type MeasureMessage = { measure: NetworkMeasure } | { fault: string };

/** Measures a network in a separate process; fails if that dies or times out. */
export async function tryOnGpuInChild(
  command: MeasureCommand,
  { childPath = CHILD_PATH, limitMs = LIMIT_MS } = {},
): Promise<NetworkMeasure> {
  const child = fork(childPath, [], {
    execArgv: [...ENGINE_FLAGS],
    env: makeEngineEnvironment(command.cacheDir === undefined ? {} : { driverCacheDir: command.cacheDir }),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<NetworkMeasure>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  child.once("error", reject);
  child.once("exit", (code, signal) =>
    reject(new Error(`the process that tried it ended (${signal ?? `exit code ${code}`})`)),
  );
  child.once("message", (message: MeasureMessage) => {
    if ("fault" in message) reject(new Error(message.fault));
    else resolve(message.measure);
  });
  child.send(command, (error) => {
    if (error) reject(error);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** The child's part. */
export async function performTrial({
  network,
  modelsDir,
  ...options
}: MeasureCommand): Promise<NetworkMeasure> {
  const manifest = SPEECH_NETWORKS.flatMap((speechNetwork) => loadManifests({ speechNetwork, modelsDir }))
    .filter(isGpuManifest)
    .find(({ id }) => id === network);
  if (manifest === undefined) throw new Error(`there is no network ${network}`);
  return await measureNetwork(manifest, options);
}
