import { closeSync, openSync } from "node:fs";
import { makeFileSource } from "./byte-source.ts";
import { type FileTensor, readBlocks, widenBlock } from "./file-tensor.ts";
import { listSafetensors } from "./list-safetensors.ts";
import type { NamedTensors, TensorFacts } from "./named-tensors.ts";
import { countElements } from "./tensor-type.ts";

/** A `.safetensors` file: the form in which added networks are stored. */
export class SafeTensors implements NamedTensors, Disposable {
  readonly #file: number;
  readonly #tensors: ReadonlyMap<string, FileTensor>;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    try {
      const tensors = listSafetensors(makeFileSource(this.#file));
      this.#tensors = new Map(tensors.map((tensor) => [tensor.name, tensor]));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  list(): readonly TensorFacts[] {
    return [...this.#tensors.values()];
  }

  read(name: string): Float32Array<ArrayBuffer> {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new Error(`the file has no tensor ${name}`);
    const values = new Float32Array(countElements(tensor.shape));
    let done = 0;
    for (const block of readBlocks(tensor)) {
      const floats = widenBlock(block, tensor.dtype);
      values.set(floats, done);
      done += floats.length;
    }
    return values;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
