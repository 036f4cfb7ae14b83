import type { TensorType } from "../tensor-type.ts";

/** As a text; undefined for lists and maps, whose text may be longer than any memory. */
export function findText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** A class or function by its name; never loaded. */
export class PickledName {
  readonly path: string;

  constructor(module: string, name: string) {
    this.path = `${module}.${name}`;
  }
}

/** An object that has no meaning here: what it was, and nothing that could be run. */
export class InertObject {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** The numbers that tensors are views of, by the key under which the file has them. */
export type PickledStorage = {
  kind: "storage";
  key: string;
  dtype: TensorType;
  elementCount: number;
};

export class PickledTensor {
  readonly storage: PickledStorage;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];

  constructor({
    storage,
    offset,
    shape,
    strides,
  }: Pick<PickledTensor, "storage" | "offset" | "shape" | "strides">) {
    this.storage = storage;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}
