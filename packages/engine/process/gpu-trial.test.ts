import { join } from "node:path";
import { expect, it } from "vitest";
import { tryOnGpuInChild } from "./gpu-trial.ts";

const childPath = join(import.meta.dirname, "support/gpu-trial-child.mjs");
const tryIt = (network: string, limitMs?: number) =>
  tryOnGpuInChild(
    { network, executionProvider: "webgpu", threads: 1 },
    { childPath, ...(limitMs === undefined ? {} : { limitMs }) },
  );

it("[S32] returns what the trial process measured", async () => {
  expect(await tryIt("answer")).toEqual({ audioSeconds: 8, gpuMs: 1, cpuMs: 2, agreementDb: 90 });
});

it("[S32] a driver that crashes, fails or hangs only affects the trial process", async () => {
  await expect(tryIt("crash")).rejects.toThrow("the process that tried it ended (SIGSEGV)");
  await expect(tryIt("fault")).rejects.toThrow("no adapter");
  await expect(tryIt("hang", 200)).rejects.toThrow("no answer within 0.2 s");
});

it("[S32] a provider that rejects the network is reported with the reason", async () => {
  const command = { network: "dialogue-music-effects", executionProvider: "coreml", threads: 1 } as const;
  await expect(tryOnGpuInChild(command)).rejects.toThrow(
    /^The execution provider coreml cannot be used for dialogue/,
  );
});
