import { ANY_SIZE, GraphBuilder } from "../../runtime/onnx/graph-builder.ts";
import {
  MessageWriter,
  readFields,
  rewriteMessage,
  toBytes,
  toNumber,
  toText,
  type WireField,
} from "../../runtime/onnx/protobuf.ts";
import { getValueName } from "../../runtime/onnx/without-outputs.ts";

/** Field numbers of onnx.proto3. */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5, output: 12 } as const;
const NODE = { input: 1, output: 2, op: 4, attribute: 5 } as const;
const ATTRIBUTE_GRAPH = 6;
const TENSOR = { dims: 1, floats: 4, integers: 5, name: 8, raw: 9 } as const;
const FLOAT32 = 1;

const LOGITS = "logits";
/** 8-bit products keep a scale for each block of this many values: all Whisper networks are multiples of it wide. */
const BLOCK_SIZE = 128;
const INT8_PRODUCTS = 4;

/**
 * A decoder file as two graphs: one whose `logits` are the states before the last product, and that product by itself. The exported
 * graph unpacks the weights of the whole vocabulary to floats at every step, and multiplies with them at every position, wanted or
 * not: two fifths of a step's time, and 160 MB, for whisper-small. Outputs that `isKept` refuses are left out: the attention of all
 * layers over a long text takes 500 MB.
 */
export function splitDecoder(
  model: Uint8Array,
  isKept: (output: string) => boolean,
): { decoder: Uint8Array; vocabulary: Uint8Array } {
  const graph = toBytes(getField(model, MODEL_GRAPH));
  return {
    decoder: rewriteMessage(model, (field) =>
      field.no === MODEL_GRAPH ? withoutLogits(graph, isKept) : "keep",
    ),
    vocabulary: makeVocabularyGraph(readVocabulary(graph)),
  };
}

type IsKept = (output: string) => boolean;

function withoutLogits(graph: Uint8Array, isKept: IsKept): Uint8Array {
  return rewriteMessage(graph, (field) =>
    field.no === GRAPH.node ? withoutProducts(toBytes(field), isKept) : changeOutput(field, isKept),
  );
}

/** The exporter has put two decoders, with and without kept tokens, into the branches of one condition. */
function withoutProducts(node: Uint8Array, isKept: IsKept): Uint8Array {
  return rewriteMessage(node, (field) => {
    if (field.no === NODE.output) return isKept(toText(field)) ? "keep" : "drop";
    if (field.no !== NODE.attribute) return "keep";
    return rewriteMessage(toBytes(field), (part) =>
      part.no === ATTRIBUTE_GRAPH ? withoutProduct(toBytes(part), isKept) : "keep",
    );
  });
}

/** A branch without its last product and the nodes that unpack the weights for it. */
function withoutProduct(branch: Uint8Array, isKept: IsKept): Uint8Array {
  const nodes = readFields(branch).filter(({ no }) => no === GRAPH.node);
  const product = getProducer(nodes, LOGITS);
  const [states = "", unpacked = ""] = listNames(product, NODE.input);
  const unpacking = getProducer(nodes, unpacked);
  const turning = getProducer(nodes, listNames(unpacking, NODE.input)[0] ?? "");
  const dropped = [unpacking, turning].map(({ raw }) => raw.byteOffset);
  return rewriteMessage(branch, (field) => {
    if (dropped.includes(field.raw.byteOffset)) return "drop";
    if (field.raw.byteOffset === product.raw.byteOffset) return makeIdentity(states);
    return changeOutput(field, isKept);
  });
}

type Vocabulary = { data: Uint8Array; size: number; width: number; scale: number; zeroPoint: number };

function readVocabulary(graph: Uint8Array): Vocabulary {
  const tensors = readFields(graph)
    .filter(({ no }) => no === GRAPH.initializer)
    .map(toBytes);
  const get = (suffix: string) => {
    const tensor = tensors.find((candidate) => {
      const name = toText(getField(candidate, TENSOR.name));
      return name.includes("embed_tokens") && name.endsWith(suffix);
    });
    if (tensor === undefined) throw new Error(`the decoder's vocabulary has no ${suffix}`);
    return tensor;
  };
  const quantized = get("_quantized");
  const [size = 0, width = 0] = readFields(quantized)
    .filter(({ no }) => no === TENSOR.dims)
    .map(toNumber);
  const scale = readBytes(get("_scale"), TENSOR.floats);
  return {
    data: toBytes(getField(quantized, TENSOR.raw)),
    size,
    width,
    scale: new DataView(scale.buffer, scale.byteOffset).getFloat32(0, true),
    zeroPoint: readBytes(get("_zero_point"), TENSOR.integers)[0] ?? 0,
  };
}

/** A scalar's bytes: exporters write them as they lie in memory or as packed numbers, which for these is the same in its first byte. */
function readBytes(tensor: Uint8Array, packedNo: number): Uint8Array {
  const field = readFields(tensor).find(({ no }) => no === packedNo || no === TENSOR.raw);
  if (field === undefined) return new Uint8Array(4);
  return typeof field.value === "number" ? Uint8Array.of(field.value) : field.value;
}

function makeVocabularyGraph({ data, size, width, scale, zeroPoint }: Vocabulary): Uint8Array {
  const blocks = width / BLOCK_SIZE;
  if (!Number.isInteger(blocks))
    throw new Error(`a width of ${width} is not made of blocks of ${BLOCK_SIZE}`);
  const graph = new GraphBuilder();
  const states = graph.input("states", [ANY_SIZE, width]);
  const weights = [
    graph.quantized(data, [size, blocks, BLOCK_SIZE]),
    graph.constant(new Float32Array(size * blocks).fill(scale), [size * blocks]),
    graph.quantized(new Uint8Array(size * blocks).fill(zeroPoint), [size * blocks]),
  ];
  const settings = { K: width, N: size, bits: 8, block_size: BLOCK_SIZE, accuracy_level: INT8_PRODUCTS };
  const logits = graph.contribNode("MatMulNBits", [states, ...weights], [ANY_SIZE, size], settings);
  graph.output(graph.named(LOGITS, logits));
  return graph.toBytes();
}

function getField(message: Uint8Array, no: number): WireField {
  const field = readFields(message).find((candidate) => candidate.no === no);
  if (field === undefined) throw new Error(`the ONNX file lacks a field ${no}`);
  return field;
}

function getProducer(nodes: readonly WireField[], output: string): WireField {
  const node = nodes.find((candidate) => listNames(candidate, NODE.output).includes(output));
  if (node === undefined) throw new Error(`no node of the decoder makes ${output}`);
  return node;
}

function listNames(node: WireField, no: number): string[] {
  return readFields(toBytes(node))
    .filter((field) => field.no === no)
    .map(toText);
}

/** A graph's field as it is, unless it is an output that goes, or the logits, which are not what was declared any more. */
function changeOutput(field: WireField, isKept: IsKept): Uint8Array | "keep" | "drop" {
  if (field.no !== GRAPH.output) return "keep";
  const name = getValueName(field);
  if (!isKept(name)) return "drop";
  return name === LOGITS ? makeShapelessLogits() : "keep";
}

function makeIdentity(states: string): Uint8Array {
  const node = new MessageWriter().text(NODE.input, states).text(NODE.output, LOGITS);
  return node.text(NODE.op, "Identity").toBytes();
}

/** The declared shape is that of the vocabulary. */
function makeShapelessLogits(): Uint8Array {
  const tensor = new MessageWriter().number(1, FLOAT32);
  return new MessageWriter().text(1, LOGITS).message(2, new MessageWriter().message(1, tensor)).toBytes();
}
