import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ByteSource } from "../byte-source.ts";
import { makeDamagedError } from "../checkpoint-error.ts";

export function makeMemorySource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read(start, lengthBytes) {
      if (!(start >= 0 && lengthBytes >= 0 && start + lengthBytes <= bytes.length))
        throw makeDamagedError(`there are no bytes ${start} to ${start + lengthBytes}`);
      return Uint8Array.from(bytes.subarray(start, start + lengthBytes));
    },
  };
}

export const TORCH_FOLDER = join(import.meta.dirname, "torch");
/** Files that PyTorch 2.6 wrote, by `training/checkpoints/make_torch_files.py`. */
export const readTorchFile = (name: string) => readFileSync(join(TORCH_FOLDER, name));
