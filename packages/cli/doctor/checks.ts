import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { arch, availableParallelism, freemem, platform, totalmem } from "node:os";
import { dirname, join } from "node:path";
import {
  cacheDir,
  dataDir,
  executionProvider,
  isDatabaseOutside,
  mediaSandbox,
  modelsDir,
  serviceHost,
  servicePort,
} from "../environment.ts";

/** What a check found; `fix` says what to do about it. */
export type Finding = { state: "ok" | "warning" | "problem"; message: string; fix?: string };

const GB = 1e9;
/** A service with one worker on a song of five minutes. */
const MIN_MEMORY_BYTES = 3 * GB;
/** Three hours of stereo, decoded and with four stems. */
const MIN_DISK_BYTES = 20 * GB;

const inGb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;

async function checkMachine(): Promise<Finding> {
  const facts = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  if (platform() === "linux" && ["x64", "arm64"].includes(arch())) return { state: "ok", message: facts };
  return {
    state: "problem",
    message: `${facts}: the engine runs on Linux, x64 or arm64`,
    fix: "use a Linux machine, a virtual machine or WSL 2; --server works from anywhere",
  };
}

async function checkMemory(): Promise<Finding> {
  const message = `${inGb(totalmem())}, ${inGb(freemem())} free`;
  if (totalmem() >= MIN_MEMORY_BYTES) return { state: "ok", message };
  return { state: "warning", message, fix: `give the machine ${inGb(MIN_MEMORY_BYTES)} or more` };
}

/** The folder itself may not be there yet. */
async function statDisk(path: string): Promise<{ bavail: number; bsize: number }> {
  return await statfs(path).catch((error) => {
    if (dirname(path) === path) throw error;
    return statDisk(dirname(path));
  });
}

async function checkDisk(): Promise<Finding> {
  const { bavail, bsize } = await statDisk(dataDir());
  const freeBytes = bavail * bsize;
  const message = `${inGb(freeBytes)} free in ${dataDir()}`;
  if (freeBytes >= MIN_DISK_BYTES) return { state: "ok", message };
  return {
    state: "warning",
    message,
    fix: `free some space, or set DATA_DIR to a larger disk: long recordings need up to ${inGb(MIN_DISK_BYTES)}`,
  };
}

async function checkSandbox(): Promise<Finding> {
  const { describeSandbox, explainGaps } = await import("@stemwright/engine");
  const { layers, gaps, missing } = await describeSandbox();
  if (gaps.length === 0) return { state: "ok", message: layers.join(", ") };
  return {
    state: mediaSandbox() === "relaxed" ? "warning" : "problem",
    message: explainGaps({ layers, gaps, missing }),
    fix: "docs/deployment.md lists what containers and units must allow",
  };
}

async function checkModels(): Promise<Finding> {
  const { listAddedManifests, listEngineModels } = await import("@stemwright/engine");
  const models = listEngineModels({ modelsDir: modelsDir() });
  const added = listAddedManifests(modelsDir()).length;
  const more = added === 0 ? "" : `, ${added} networks added in ${modelsDir()}`;
  if (models.length > 0) return { state: "ok", message: `${models.length} models installed${more}` };
  return {
    state: "problem",
    message: "no network's weights are installed",
    fix: "reinstall, or point a manifest at weights of your own (docs/deployment.md)",
  };
}

async function checkGpu(): Promise<Finding> {
  const { PROVIDER_SETTINGS, findProviderFault, describeGpus } = await import("@stemwright/engine");
  const provider = PROVIDER_SETTINGS.find((one) => one === executionProvider());
  if (provider === undefined)
    return {
      state: "problem",
      message: `EXECUTION_PROVIDER is "${executionProvider()}"`,
      fix: `set it to one of ${PROVIDER_SETTINGS.join(", ")}`,
    };
  if (provider === "cpu") return { state: "ok", message: "networks run on the CPU (EXECUTION_PROVIDER=cpu)" };
  if (provider === "auto") {
    const gpus = describeGpus();
    if (gpus === undefined) return { state: "ok", message: "no GPU found: networks run on the CPU" };
    return { state: "ok", message: `${gpus}; ${await describeChoices()}` };
  }
  const fault = await findProviderFault(provider);
  if (fault === undefined) return { state: "ok", message: `networks run on ${provider}` };
  return {
    state: "warning",
    message: `${provider} is unavailable, so networks run on the CPU: ${fault}`,
    fix: "install what docs/gpu.md names, or set EXECUTION_PROVIDER=auto",
  };
}

/** What was measured here for the command, and for the service. */
async function describeChoices(): Promise<string> {
  const { ProviderChoice, toNetworkCacheDir } = await import("@stemwright/engine");
  const choices = [cacheDir(), join(dataDir(), "cache")].flatMap((folder) => [
    ...new ProviderChoice({
      setting: "auto",
      threads: 1,
      cacheDir: toNetworkCacheDir(folder),
    }).listRemembered(),
  ]);
  if (choices.length === 0) return "each network is measured when it is first used";
  const inTimes = (speed: number | undefined) =>
    speed === undefined ? "not measured" : `${speed.toFixed(0)} ×`;
  return choices
    .map(([network, { provider, gpuSpeed, cpuSpeed, reason }]) => {
      const speeds = `GPU ${inTimes(gpuSpeed)}, CPU ${inTimes(cpuSpeed)} real time`;
      return `${network} runs on ${provider} (${speeds}${reason === undefined ? "" : `; ${reason}`})`;
    })
    .join("; ");
}

function checkPort(): Promise<Finding> {
  const [host, port] = [serviceHost(), servicePort()];
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve({
        state: "warning",
        message: `port ${port} on ${host}: ${error.code === "EADDRINUSE" ? "taken, perhaps by a running service" : error.message}`,
        fix: "stop the program that uses it, or set PORT",
      }),
    );
    server.listen(port, host, () =>
      server.close(() => resolve({ state: "ok", message: `port ${port} on ${host} is free` })),
    );
  });
}

async function checkDatabase(): Promise<Finding> {
  if (isDatabaseOutside()) return { state: "ok", message: "DATABASE_URL names a server of yours" };
  return { state: "ok", message: "the embedded PostgreSQL is used (DATABASE_URL names one of yours)" };
}

export const CHECKS: Record<string, () => Promise<Finding>> = {
  machine: checkMachine,
  memory: checkMemory,
  disk: checkDisk,
  sandbox: checkSandbox,
  models: checkModels,
  gpu: checkGpu,
  database: checkDatabase,
  port: checkPort,
};
