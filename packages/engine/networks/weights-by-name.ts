import type { NamedTensors } from "../checkpoints/named-tensors.ts";
import type { Weight } from "../runtime/onnx/onnx-weights.ts";

/** The weights of a network by the names of the code that trained it. */
export interface WeightsByName {
  has(name: string): boolean;
  get(name: string): Weight;
}

export function toWeightsByName(tensors: NamedTensors): WeightsByName {
  const shapes = new Map(tensors.list().map(({ name, shape }) => [name, shape]));
  return {
    has: (name) => shapes.has(name),
    get(name) {
      const dims = shapes.get(name);
      if (dims === undefined) throw new Error(`the network has no weights ${name}`);
      return { dims, data: tensors.read(name) };
    },
  };
}

/** The weights whose names begin with the prefix, without it. */
export function withPrefix(weights: WeightsByName, prefix: string): WeightsByName {
  return { has: (name) => weights.has(prefix + name), get: (name) => weights.get(prefix + name) };
}
