import { readFields, toBytes, toNumber, toText, type WireField } from "./protobuf.ts";

export type Weight = { dims: readonly number[]; data: Float32Array };

/** The number types of ONNX that weights are stored in, read as floats. */
const READERS = new Map<number, (bytes: ArrayBuffer) => Float32Array>([
  [1, (bytes) => new Float32Array(bytes)],
  [3, (bytes) => Float32Array.from(new Int8Array(bytes))],
  [10, (bytes) => Float32Array.from(new Float16Array(bytes))],
]);

/**
 * The constant tensors of an ONNX file. Exporters drop the names of some and number them; those are found by the
 * node that reads them, whose name is the module's path.
 */
export class OnnxWeights {
  readonly #tensors = new Map<string, Weight>();
  readonly #nodeInputs = new Map<string, string[]>();
  readonly #metadata = new Map<string, string>();

  constructor(file: Uint8Array) {
    for (const entry of fieldsOf(file, 14)) {
      const [key = "", value = ""] = [1, 2].flatMap((no) => fieldsOf(toBytes(entry), no).map(toText));
      this.#metadata.set(key, value);
    }
    for (const graph of fieldsOf(file, 7)) {
      for (const field of fieldsOf(toBytes(graph), 5)) this.#addTensor(toBytes(field));
      for (const field of fieldsOf(toBytes(graph), 1)) this.#addNode(toBytes(field));
    }
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  get(name: string): Weight {
    const weight = this.#tensors.get(name);
    if (weight === undefined) throw new Error(`the network's file has no weights ${name}`);
    return weight;
  }

  /** What the exporter wrote into the file under this name. */
  getMetadata(name: string): string {
    const value = this.#metadata.get(name);
    if (value === undefined) throw new Error(`the network's file tells no ${name}`);
    return value;
  }

  /** The one constant among the inputs of a node. */
  ofNode(nodeName: string): Weight {
    const names = this.#nodeInputs.get(nodeName) ?? [];
    const constant = names.find((name) => this.#tensors.has(name));
    if (constant === undefined) throw new Error(`the network's file has no node ${nodeName} with weights`);
    return this.get(constant);
  }

  #addTensor(message: Uint8Array): void {
    const fields = readFields(message);
    const find = (no: number) => fields.find((field) => field.no === no);
    const [type, name, raw] = [find(2), find(8), find(9)];
    const read = type && READERS.get(toNumber(type));
    if (!read || !name || !raw) return;
    const data = read(new Uint8Array(toBytes(raw)).buffer);
    const dims = fields.filter((field) => field.no === 1).map(toNumber);
    this.#tensors.set(toText(name), { dims, data });
  }

  #addNode(message: Uint8Array): void {
    const [name] = fieldsOf(message, 3);
    if (name) this.#nodeInputs.set(toText(name), fieldsOf(message, 1).map(toText));
  }
}

function fieldsOf(message: Uint8Array, no: number): WireField[] {
  return readFields(message).filter((field) => field.no === no);
}
