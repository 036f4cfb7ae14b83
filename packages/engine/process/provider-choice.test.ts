import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadManifests } from "../manifests/manifest.ts";
import type { NetworkMeasure } from "../networks/measure-network.ts";
import { isGpuManifest } from "../networks/registry.ts";
import type { MeasureCommand } from "./gpu-trial.ts";
import { type ChoiceOptions, ProviderChoice } from "./provider-choice.ts";

const [dialogue, htdemucs] = ["dialogue-music-effects", "htdemucs"].map((id) => {
  const manifest = loadManifests().find((candidate) => candidate.id === id);
  if (manifest === undefined || !isGpuManifest(manifest)) throw new Error(`no manifest for ${id}`);
  return manifest;
}) as [Parameters<ProviderChoice["choose"]>[0], Parameters<ProviderChoice["choose"]>[0]];

const FAST: NetworkMeasure = { audioSeconds: 8, gpuMs: 80, cpuMs: 800, agreementDb: 40 };

function open(answer: (command: MeasureCommand) => NetworkMeasure, given: Partial<ChoiceOptions> = {}) {
  const cacheDir = mkdtempSync(join(tmpdir(), "stemwright-choice-"));
  onTestFinished(() => rmSync(cacheDir, { recursive: true }));
  const tried: string[] = [];
  const options: ChoiceOptions = {
    setting: "auto",
    threads: 2,
    cacheDir,
    gpus: "a GPU",
    tryOnGpu: async (command) => {
      tried.push(`${command.network} on ${command.executionProvider}`);
      return answer(command);
    },
    ...given,
  };
  return {
    tried,
    cacheDir,
    start: (other: Partial<ChoiceOptions> = {}) => new ProviderChoice({ ...options, ...other }),
  };
}

const onlyWebGpu = ({ executionProvider }: MeasureCommand) => {
  if (executionProvider !== "webgpu") throw new Error("its library is missing");
  return FAST;
};

it("[S32] without a GPU the CPU is chosen, and nothing is tried or written", async () => {
  const { start, tried, cacheDir } = open(() => FAST, { gpus: undefined });
  expect(await start().choose(htdemucs)).toEqual({ provider: "cpu" });
  expect([tried, readdirSync(cacheDir)]).toEqual([[], []]);
});

it("[S32] each network is measured once and the result remembered", async () => {
  const { start, tried } = open(onlyWebGpu);
  const first = start();
  const both = await Promise.all([first.choose(htdemucs), first.choose(htdemucs)]);
  expect(both).toEqual(Array(2).fill({ provider: "webgpu", gpuSpeed: 100, cpuSpeed: 10 }));
  expect(await start().choose(htdemucs)).toEqual(both[0]);
  expect(tried).toEqual(["htdemucs on cuda", "htdemucs on webgpu"]);
  await start().choose(dialogue);
  expect(tried).toHaveLength(4);
  expect([...start().listRemembered().keys()]).toEqual(["htdemucs", "dialogue-music-effects"]);
});

it("[S32] another GPU, driver or weights file is measured again", async () => {
  const { start, tried } = open(() => FAST);
  await start().choose(htdemucs);
  await start({ gpus: "a GPU with another driver" }).choose(htdemucs);
  expect(tried).toHaveLength(2);
  if (!("sha256" in htdemucs.weights)) throw new Error("htdemucs has one file of weights");
  const changed = {
    ...htdemucs,
    weights: { ...htdemucs.weights, sha256: "0".repeat(64) },
  } as typeof htdemucs;
  await start({ gpus: "a GPU with another driver" }).choose(changed);
  expect(tried).toHaveLength(3);
});

it.each([
  ["a slower GPU", { ...FAST, gpuMs: 700 }, "cuda is no faster"],
  ["one that calculates wrongly", { ...FAST, agreementDb: -3 }, "cuda calculates wrongly: -3.0 dB"],
  ["one that gives no numbers", { ...FAST, agreementDb: Number.NaN }, "cuda calculates wrongly: NaN dB"],
])("[S32] %s is not used", async (_, measure, reason) => {
  const { start } = open(() => measure);
  expect(await start().choose(htdemucs)).toMatchObject({ provider: "cpu", reason });
});

it("[S32] a network that no GPU provider accepts stays on the CPU, with the reasons", async () => {
  const { start } = open(({ executionProvider }) => {
    throw new Error(`${executionProvider} died`);
  });
  const expected = { provider: "cpu", reason: "cuda: cuda died; webgpu: webgpu died" };
  expect(await start().choose(htdemucs)).toEqual(expected);
});

it("[S3] a provider named in the settings is used without measuring", async () => {
  const { start, tried } = open(() => FAST, { setting: "webgpu" });
  expect(await start().choose(htdemucs)).toEqual({ provider: "webgpu" });
  expect(tried).toEqual([]);
});
