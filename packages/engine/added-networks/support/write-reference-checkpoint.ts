import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { concatenate, pickle, tensorOf, writeTorchZip } from "../../checkpoints/support/write-torch-file.ts";
import type { DemucsPackage } from "../../networks/architecture.ts";
import type { Reference } from "../../networks/support/reference.ts";

const MODULES: Record<string, string> = { HTDemucs: "demucs.htdemucs", HDemucs: "demucs.hdemucs" };

function toPickle(value: unknown): Uint8Array {
  if (typeof value === "string") return pickle.text(value);
  if (typeof value === "boolean") return Uint8Array.of(value ? 0x88 : 0x89);
  if (Number.isInteger(value)) return pickle.integer(Number(value));
  if (typeof value === "number") {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, false);
    return concatenate("G", new Uint8Array(bytes.buffer));
  }
  if (Array.isArray(value)) return concatenate("](", ...value.map(toPickle), "e");
  const entries = Object.entries(value ?? {});
  return pickle.dict(...entries.flatMap(([key, item]) => [pickle.text(key), toPickle(item)]));
}

/** What training code would have saved: weights by name, or a package of Demucs. */
function toTorchFile(reference: Reference, prefix: string, packaged: DemucsPackage | undefined): Uint8Array {
  const own = reference.checkpoint.tensors.filter(({ name }) => name.startsWith(prefix));
  const storages: Record<string, Float32Array> = {};
  const entries = own.flatMap(({ name, shape }, index) => {
    const { data } = reference.getWeight(name);
    storages[index] = data;
    return [pickle.text(name.slice(prefix.length)), tensorOf(String(index), data.length, { shape })];
  });
  const state = pickle.dict(...entries);
  if (packaged === undefined) return writeTorchZip(pickle.document(state), storages);
  const { className, options } = packaged;
  const fields = [
    ...[pickle.text("klass"), pickle.global(MODULES[className] ?? "demucs", className)],
    ...[
      pickle.text("args"),
      pickle.tuple(),
      pickle.text("kwargs"),
      toPickle(options),
      pickle.text("state"),
      state,
    ],
  ];
  return writeTorchZip(pickle.document(pickle.dict(...fields)), storages);
}

/** Writes the files that a person would have; returns what to give to `models add`. */
export function writeReferenceCheckpoint(reference: Reference, folder: string, name: string): string[] {
  const { demucs, bag, msst } = reference.checkpoint;
  if (bag !== undefined) {
    const signatures = bag.members.map((_, index) => `${name.replaceAll("-", "")}${index}`);
    for (const [index, member] of bag.members.entries())
      writeFileSync(join(folder, `${signatures[index]}.th`), toTorchFile(reference, `${index}.`, member));
    const path = join(folder, `${name}.yaml`);
    writeFileSync(path, JSON.stringify({ models: signatures, ...(bag.weights && { weights: bag.weights }) }));
    return [path];
  }
  const path = join(folder, `${name}.ckpt`);
  writeFileSync(path, toTorchFile(reference, "", demucs));
  if (msst === undefined) return [path];
  const configuration = join(folder, `${name}.yaml`);
  writeFileSync(configuration, JSON.stringify(msst));
  return [path, "--config", configuration];
}
