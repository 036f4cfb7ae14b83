import { expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { CheckpointError } from "./checkpoint-error.ts";
import { readBlocks } from "./file-tensor.ts";
import { openCheckpoint } from "./open-checkpoint.ts";
import { makeMemorySource, readTorchFile } from "./support/memory-source.ts";
import { concatenate } from "./support/write-torch-file.ts";
import { writeSafetensors } from "./write-safetensors.ts";

const ROUNDS = 1500;
const LIMIT_MS = 2000;

function makeSafetensors(): Uint8Array {
  const parts: Uint8Array[] = [];
  writeSafetensors(
    openCheckpoint(makeMemorySource(readTorchFile("plain.pt"))).tensors,
    (bytes) => void parts.push(bytes),
  );
  return concatenate(...parts);
}

const SEEDS = {
  zip: readTorchFile("plain.pt"),
  training: readTorchFile("training.ckpt"),
  legacy: readTorchFile("legacy.pth"),
  package: readTorchFile("demucs.th"),
  safetensors: makeSafetensors(),
};

/** Changes bytes, cuts the file, or copies a part of it elsewhere. */
function spoil(bytes: Uint8Array, random: () => number): Uint8Array {
  const at = (limit: number) => Math.floor(random() * limit);
  const spoiled = Uint8Array.from(bytes);
  const kind = at(3);
  if (kind === 0) return spoiled.subarray(0, at(bytes.length));
  if (kind === 1) spoiled.copyWithin(at(bytes.length), at(bytes.length), at(bytes.length));
  else for (let n = at(8); n >= 0; n--) spoiled[at(bytes.length)] = at(256);
  return spoiled;
}

it.each(Object.entries(SEEDS))("a spoiled %s file is read or refused in a sentence, at once", (_, bytes) => {
  const random = makeSeededRandom(41);
  let refused = 0;
  let slowestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const spoiled = spoil(bytes, random);
    const startMs = performance.now();
    try {
      for (const tensor of openCheckpoint(makeMemorySource(spoiled)).tensors)
        for (const block of readBlocks(tensor)) expect(block.length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toBeInstanceOf(CheckpointError);
      refused += 1;
    }
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
  }
  expect(refused).toBeGreaterThan(ROUNDS / 4);
  expect(slowestMs).toBeLessThan(LIMIT_MS);
});
