import type { ByteFile } from "./byte-file.ts";
import { type FieldSpan, findFields, readFields, toText, type WireField } from "./protobuf.ts";

export type Weight = { dims: readonly number[]; data: Float32Array };

type Reader = (bytes: ArrayBuffer) => Float32Array;

/** ONNX number types of weights, all read as floats. */
const READERS = new Map<number, Reader>([
  [1, (bytes) => new Float32Array(bytes)],
  [3, (bytes) => Float32Array.from(new Int8Array(bytes))],
  [10, (bytes) => Float32Array.from(new Float16Array(bytes))],
]);

const decoder = new TextDecoder();

type StoredWeight = { dims: readonly number[]; start: number; end: number; toFloats: Reader };

/**
 * The constant tensors of an ONNX file, each read on demand. Exporters replace some of their names by numbers; those are found by the node
 * that reads them, whose name is the module's path.
 */
export class OnnxWeights {
  readonly #file: ByteFile;
  readonly #tensors = new Map<string, StoredWeight>();
  readonly #nodeInputs = new Map<string, string[]>();
  readonly #metadata = new Map<string, string>();

  /** The file must stay open while weights are read. */
  constructor(file: ByteFile) {
    this.#file = file;
    for (const field of findFields(file, { start: 0, end: file.length })) {
      if (field.no === 14) this.#addMetadata(field);
      if (field.no === 7) this.#addGraph(field);
    }
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  get(name: string): Weight {
    const stored = this.#tensors.get(name);
    if (stored === undefined) throw new Error(`the network's file has no weights ${name}`);
    const { dims, start, end, toFloats } = stored;
    return { dims, data: toFloats(this.#file.read(start, end).buffer) };
  }

  /** The exporter's metadata of this name. */
  getMetadata(name: string): string {
    const value = this.#metadata.get(name);
    if (value === undefined) throw new Error(`the network's file has no metadata ${name}`);
    return value;
  }

  hasNode(nodeName: string): boolean {
    return this.#nodeInputs.has(nodeName);
  }

  /** The only constant among a node's inputs. */
  ofNode(nodeName: string): Weight {
    const names = this.#nodeInputs.get(nodeName) ?? [];
    const constant = names.find((name) => this.#tensors.has(name));
    if (constant === undefined) throw new Error(`the network's file has no node ${nodeName} with weights`);
    return this.get(constant);
  }

  #addMetadata(entry: FieldSpan): void {
    const fields = this.#read(entry);
    const [key = "", value = ""] = [1, 2].flatMap((no) => textsOf(fields, no));
    this.#metadata.set(key, value);
  }

  #addGraph(graph: FieldSpan): void {
    for (const field of findFields(this.#file, graph)) {
      if (field.no === 5) this.#addTensor(field);
      if (field.no === 1) this.#addNode(field);
    }
  }

  #addTensor(message: FieldSpan): void {
    const fields = [...findFields(this.#file, message)];
    const find = (no: number) => fields.find((field) => field.no === no);
    const [type, name, raw] = [find(2)?.value, find(8), find(9)];
    const toFloats = type === undefined ? undefined : READERS.get(type);
    if (!toFloats || !name || !raw) return;
    const dims = fields.filter((field) => field.no === 1).map(({ value = 0 }) => value);
    const { start, end } = raw;
    this.#tensors.set(decoder.decode(this.#file.read(name.start, name.end)), { dims, start, end, toFloats });
  }

  #addNode(message: FieldSpan): void {
    const fields = this.#read(message);
    const [name] = textsOf(fields, 3);
    if (name !== undefined) this.#nodeInputs.set(name, textsOf(fields, 1));
  }

  #read({ start, end }: FieldSpan): WireField[] {
    return readFields(this.#file.read(start, end));
  }
}

function textsOf(fields: readonly WireField[], no: number): string[] {
  return fields.filter((field) => field.no === no).map(toText);
}
