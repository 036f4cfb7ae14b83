import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { readFields, toBytes, toNumber, toText, type WireField } from "../../../runtime/onnx/protobuf.ts";

/** 8-bit values, signed or unsigned as in the file; the real value is (value − zeroPoint) · scale. */
export type QuantizedWeight = {
  data: Uint8Array | Int8Array;
  dims: readonly number[];
  scale: number;
  zeroPoint: number;
};

/** Field numbers of onnx.proto3. */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5 } as const;
const NODE = { input: 1, output: 2, attribute: 5 } as const;
const ATTRIBUTE_GRAPH = 6;
const TENSOR = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 } as const;
const INT8 = 3;

/** Suffix the exporter gives to weights that the two decoders of a merged file share. */
const MERGED = "_merged_0";

type Tensor = { dims: number[]; type: number; bytes: Uint8Array };

/**
 * The 8-bit weights of an encoder or decoder file in the layout of transformers.js. Vectors and tables are found by module name; the exporter
 * only numbers matrices, so these are found by the path of the module that multiplies by them. All are views of the file.
 */
export class WhisperWeights {
  readonly #tensors = new Map<string, Tensor>();
  /** The matrix of each product, by the name of the product's output. */
  readonly #matrixNames = new Map<string, string>();

  constructor(file: Uint8Array) {
    for (const graph of fieldsOf(file, MODEL_GRAPH)) this.#readGraph(toBytes(graph));
  }

  /** How many layers the network has. */
  get layers(): number {
    let count = 0;
    while (this.#tensors.has(`layers.${count}.fc1.bias`)) count += 1;
    return count;
  }

  floats(name: string): Weight {
    const { bytes, dims } = this.#get(name);
    return { data: toFloats(bytes), dims };
  }

  findFloats(name: string): Weight | undefined {
    return this.#tensors.has(name) ? this.floats(name) : undefined;
  }

  quantized(name: string): QuantizedWeight {
    const { dims, type, bytes } = this.#get(`${name}_quantized`);
    const isSigned = type === INT8;
    const zeroPoint = this.#get(`${name}_zero_point`).bytes[0] ?? 0;
    return {
      data: isSigned ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes,
      dims,
      scale: toFloats(this.#get(`${name}_scale`).bytes)[0] ?? 0,
      zeroPoint: isSigned ? (zeroPoint << 24) >> 24 : zeroPoint,
    };
  }

  /** The matrix, inputs × outputs, of a module such as `layers.0.fc1`. */
  matrix(module: string): QuantizedWeight {
    const name = this.#matrixNames.get(module);
    if (name === undefined) throw new Error(`the network's file has no product ${module}`);
    return this.quantized(name);
  }

  #get(name: string): Tensor {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new Error(`the network's file has no weights ${name}`);
    return tensor;
  }

  #readGraph(graph: Uint8Array): void {
    for (const field of fieldsOf(graph, GRAPH.initializer)) this.#addTensor(toBytes(field));
    for (const field of fieldsOf(graph, GRAPH.node)) this.#addNode(toBytes(field));
  }

  #addTensor(message: Uint8Array): void {
    const fields = readFields(message);
    const find = (no: number) => fields.find((field) => field.no === no);
    const [name, type] = [find(TENSOR.name), find(TENSOR.type)];
    // Scalars are stored as varints; of a zero point, the first byte is the value.
    const content = find(TENSOR.raw) ?? find(TENSOR.floats) ?? find(TENSOR.integers);
    if (!name || !type) return;
    this.#tensors.set(toModuleName(toText(name)), {
      dims: fields.filter(({ no }) => no === TENSOR.dims).map(toNumber),
      type: toNumber(type),
      bytes: content === undefined ? new Uint8Array(4) : toContent(content),
    });
  }

  #addNode(message: Uint8Array): void {
    for (const attribute of fieldsOf(message, NODE.attribute)) {
      for (const branch of fieldsOf(toBytes(attribute), ATTRIBUTE_GRAPH)) this.#readGraph(toBytes(branch));
    }
    const [output = ""] = fieldsOf(message, NODE.output).map(toText);
    const module = /^\/(?:model\/decoder\/)?(layers\.\d+)\/(.+)\/MatMul_output_0_output_quantized$/.exec(
      output,
    );
    if (module === null) return;
    const matrix = fieldsOf(message, NODE.input).map(toText)[1] ?? "";
    this.#matrixNames.set(
      `${module[1]}.${module[2]?.replaceAll("/", ".")}`,
      toModuleName(matrix).replace(/_quantized$/, ""),
    );
  }
}

function toModuleName(name: string): string {
  return name.replace(/^model\.decoder\./, "").replace(MERGED, "");
}

function toContent({ value }: WireField): Uint8Array {
  return typeof value === "number" ? Uint8Array.of(value) : value;
}

/** Copies, because the numbers in a file are not aligned. */
function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

function fieldsOf(message: Uint8Array, no: number): WireField[] {
  return readFields(message).filter((field) => field.no === no);
}
