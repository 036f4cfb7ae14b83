import type { NamedTensors } from "../../checkpoints/named-tensors.ts";
import type { TensorData } from "../../runtime/network-session.ts";
import type { Rows, WeightPort } from "./graph/weighted-graph.ts";
import { SHARED_OUT_BIASES, SHARED_QKV_BIASES } from "./read-dimensions.ts";

type PortData = { data: TensorData; shape: readonly number[] };

const LARGEST_BYTE = 127;
const SQUARE = 32;

/** The weights of one layer after another, in the forms that graphs take them in. */
export class LayerWeights {
  readonly #tensors: NamedTensors;
  readonly #names: ReadonlySet<string>;

  constructor(tensors: NamedTensors) {
    this.#tensors = tensors;
    this.#names = new Set(tensors.list().map(({ name }) => name));
  }

  /** The weights for a graph's ports; their tensors are called `prefix` + name. */
  take(prefix: string, ports: readonly WeightPort[]): PortData[] {
    /** Bytes and scales are made at once. */
    const quantized = new Map<string, { bytes: Int8Array; scales: Float32Array }>();
    return ports.map(({ tensor, form, shape, rows }) => {
      const name = this.#resolve(prefix, tensor);
      if (form === "floats") return { data: takeRows(this.#tensors.read(name), shape, rows), shape };
      const key = `${name} ${rows?.from}`;
      const found = quantized.get(key) ?? this.#quantize(name, ports, { tensor, rows });
      quantized.set(key, found);
      return { data: form === "bytes" ? found.bytes : found.scales, shape };
    });
  }

  #quantize(
    name: string,
    ports: readonly WeightPort[],
    { tensor, rows }: { tensor: string; rows: Rows | undefined },
  ): { bytes: Int8Array; scales: Float32Array } {
    const port = ports.find(
      (one) => one.form === "bytes" && one.tensor === tensor && one.rows?.from === rows?.from,
    );
    const [inputs = 0, outputs = 0] = port?.shape ?? [];
    return toByteColumns(takeRows(this.#tensors.read(name), [outputs, inputs], rows), [outputs, inputs]);
  }

  #resolve(prefix: string, tensor: string): string {
    const candidates = [`${prefix}${tensor}`, tensor];
    if (tensor.endsWith("to_qkv.bias")) candidates.push(...SHARED_QKV_BIASES);
    if (tensor.endsWith("to_out.0.bias")) candidates.push(...SHARED_OUT_BIASES);
    const found = candidates.find((name) => this.#names.has(name));
    if (found === undefined) throw new Error(`the network has no weights ${prefix}${tensor}`);
    return found;
  }
}

/** A copy, so that it can be sent to a thread. */
function takeRows(data: Float32Array, shape: readonly number[], rows: Rows | undefined): Float32Array {
  const size = shape.reduce((product, length) => product * length, 1);
  const rowSize = shape.slice(1).reduce((product, length) => product * length, 1);
  if (rows === undefined && data.length === size) return data;
  if (rows === undefined || data.length < rows.to * rowSize)
    throw new Error(`weights have ${data.length} numbers, not those of ${shape.join("×")}`);
  return data.slice(rows.from * rowSize, rows.to * rowSize);
}

/** `[outputs, inputs]` to int8 `[inputs, outputs]`, a scale for each output. In square tiles: a whole column would evict its own cache lines. */
function toByteColumns(
  data: Float32Array,
  [outputs, inputs]: [number, number],
): { bytes: Int8Array; scales: Float32Array } {
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    let largest = 0;
    for (let at = output * inputs; at < (output + 1) * inputs; at++) {
      const size = Math.abs(data[at]!);
      if (size > largest) largest = size;
    }
    scales[output] = largest / LARGEST_BYTE || 1;
  }
  const bytes = new Int8Array(data.length);
  for (let top = 0; top < outputs; top += SQUARE) {
    const bottom = Math.min(outputs, top + SQUARE);
    for (let input = 0; input < inputs; input++) {
      for (let output = top; output < bottom; output++) {
        bytes[input * outputs + output] = Math.round(data[output * inputs + input]! / scales[output]!);
      }
    }
  }
  return { bytes, scales };
}
