import type { Weight } from "./onnx-weights.ts";
import { MessageWriter } from "./protobuf.ts";

/** A tensor within a graph under construction. */
export type Value = { readonly name: string; readonly dims: readonly number[] };

export type ElementType = keyof typeof ELEMENT_TYPES;

type Attribute = number | readonly number[] | { float: number } | { text: string };

const OPSET = 17;
const IR_VERSION = 8;
const ELEMENT_TYPES = { float32: 1, uint8: 2, int8: 3, int64: 7 } as const;
/** A dimension that may differ between runs. */
export const ANY_SIZE = -1;
const CONTRIB_DOMAIN = "com.microsoft";

/** Writes an ONNX graph, node by node, in the order of execution. */
export class GraphBuilder {
  readonly #graph = new MessageWriter().text(2, "graph");
  #count = 0;

  input(name: string, dims: readonly number[], type: ElementType = "float32"): Value {
    this.#graph.message(11, portMessage({ name, dims }, type));
    return { name, dims };
  }

  /** The same value under a name that callers use. */
  named(name: string, value: Value): Value {
    this.#addNode("Identity", [value], [name], {}, "");
    return { name, dims: value.dims };
  }

  /** Makes a value an output of the graph, in the order of the calls. */
  output(value: Value): void {
    this.#graph.message(12, portMessage(value));
  }

  constant(data: Float32Array, dims: readonly number[]): Value {
    return this.#addTensor("float32", data, dims);
  }

  weight({ data, dims }: Weight): Value {
    return this.constant(data, dims);
  }

  floats(values: readonly number[]): Value {
    return this.constant(Float32Array.from(values), [values.length]);
  }

  /** 8-bit integers, signed or unsigned like the array. */
  quantized(data: Uint8Array | Int8Array, dims: readonly number[]): Value {
    return this.#addTensor(data instanceof Int8Array ? "int8" : "uint8", data, dims);
  }

  integers(values: readonly number[]): Value {
    return this.#addTensor("int64", BigInt64Array.from(values, BigInt), [values.length]);
  }

  /** A standard operator with one output of the given shape. */
  node(
    op: string,
    inputs: readonly Value[],
    dims: readonly number[],
    attributes: Record<string, Attribute> = {},
  ): Value {
    const name = this.#makeName();
    this.#addNode(op, inputs, [name], attributes, "");
    return { name, dims };
  }

  /** The same with several outputs, one shape each. */
  nodes(op: string, inputs: readonly Value[], shapes: readonly (readonly number[])[]): Value[] {
    const outputs = shapes.map((dims) => ({ name: this.#makeName(), dims }));
    this.#addNode(
      op,
      inputs,
      outputs.map(({ name }) => name),
      {},
      "",
    );
    return outputs;
  }

  /** One of onnxruntime's own operators. */
  contribNode(
    op: string,
    inputs: readonly Value[],
    dims: readonly number[],
    attributes: Record<string, Attribute> = {},
  ): Value {
    const name = this.#makeName();
    this.#addNode(op, inputs, [name], attributes, CONTRIB_DOMAIN);
    return { name, dims };
  }

  /** The same with several outputs, one shape each. An omitted input is undefined. */
  contribNodes(
    op: string,
    inputs: readonly (Value | undefined)[],
    shapes: readonly (readonly number[])[],
    attributes: Record<string, Attribute> = {},
  ): Value[] {
    const outputs = shapes.map((dims) => ({ name: this.#makeName(), dims }));
    this.#addNode(
      op,
      inputs,
      outputs.map(({ name }) => name),
      attributes,
      CONTRIB_DOMAIN,
    );
    return outputs;
  }

  reshape(value: Value, dims: readonly number[]): Value {
    return this.node("Reshape", [value, this.integers(dims)], dims);
  }

  transpose(value: Value, perm: readonly number[]): Value {
    const dims = perm.map((axis) => getSize(value, axis));
    return this.node("Transpose", [value], dims, { perm });
  }

  slice(value: Value, { axis, from, to }: { axis: number; from: number; to: number }): Value {
    if (from === 0 && to === value.dims[axis]) return value;
    const dims = value.dims.with(axis, to - from);
    return this.node("Slice", [value, ...[from, to, axis].map((at) => this.integers([at]))], dims);
  }

  /** Over one axis, which is kept with length 1. */
  mean(value: Value, axis: number): Value {
    return this.node("ReduceMean", [value], value.dims.with(axis, 1), { axes: [axis], keepdims: 1 });
  }

  add(a: Value, b: Value): Value {
    return this.node("Add", [a, b], a.dims);
  }

  mul(a: Value, b: Value): Value {
    return this.node("Mul", [a, b], a.dims);
  }

  gelu(value: Value): Value {
    return this.contribNode("Gelu", [value], value.dims);
  }

  sigmoid(value: Value): Value {
    return this.node("Sigmoid", [value], value.dims);
  }

  toBytes(): Uint8Array {
    const opset = (domain: string, version: number) => new MessageWriter().text(1, domain).number(2, version);
    return new MessageWriter()
      .number(1, IR_VERSION)
      .message(7, this.#graph)
      .message(8, opset("", OPSET))
      .message(8, opset(CONTRIB_DOMAIN, 1))
      .toBytes();
  }

  #makeName(): string {
    this.#count += 1;
    return `v${this.#count}`;
  }

  #addTensor(type: keyof typeof ELEMENT_TYPES, data: ArrayBufferView, dims: readonly number[]): Value {
    const name = this.#makeName();
    const message = new MessageWriter();
    for (const size of dims) message.number(1, size);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#graph.message(5, message.number(2, ELEMENT_TYPES[type]).text(8, name).bytes(9, bytes));
    return { name, dims };
  }

  #addNode(
    op: string,
    inputs: readonly (Value | undefined)[],
    outputs: readonly string[],
    attributes: Record<string, Attribute>,
    domain: string,
  ): void {
    const message = new MessageWriter();
    for (const input of inputs) message.text(1, input?.name ?? "");
    for (const output of outputs) message.text(2, output);
    message.text(4, op).text(7, domain);
    for (const [name, value] of Object.entries(attributes)) message.message(5, attributeMessage(name, value));
    this.#graph.message(1, message);
  }
}

function getSize({ name, dims }: Value, axis: number): number {
  const size = dims[axis];
  if (size === undefined) throw new RangeError(`${name} has ${dims.length} axes, no axis ${axis}`);
  return size;
}

function portMessage(port: Value, type: ElementType = "float32"): MessageWriter {
  const shape = new MessageWriter();
  for (const [axis, size] of port.dims.entries()) {
    const dimension = new MessageWriter();
    // Dimensions with the same name would count as equal.
    shape.message(
      1,
      size === ANY_SIZE ? dimension.text(2, `${port.name}.${axis}`) : dimension.number(1, size),
    );
  }
  const tensor = new MessageWriter().number(1, ELEMENT_TYPES[type]).message(2, shape);
  return new MessageWriter().text(1, port.name).message(2, new MessageWriter().message(1, tensor));
}

function attributeMessage(name: string, value: Attribute): MessageWriter {
  const message = new MessageWriter().text(1, name);
  if (typeof value === "number") return message.number(3, value).number(20, 2);
  if ("float" in value) return message.float(2, value.float).number(20, 1);
  if ("text" in value) return message.text(4, value.text).number(20, 3);
  for (const item of value) message.number(8, item);
  return message.number(20, 7);
}
