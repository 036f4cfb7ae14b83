import { readFields, rewriteMessage, toBytes, toText, type WireField } from "./protobuf.ts";

/** Field numbers of onnx.proto3. */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;
const VALUE_NAME = 1;

/**
 * An ONNX file without those outputs of its graph that `isKept` refuses. What a graph offers it must compute and hold to the end,
 * asked for or not, and may not fuse: the attention matrices that Whisper's encoders offer are most of their memory.
 */
export function withoutOutputs(model: Uint8Array, isKept: (name: string) => boolean): Uint8Array {
  return rewriteMessage(model, (field) =>
    field.no === MODEL_GRAPH ? rewriteMessage(toBytes(field), (part) => filter(part, isKept)) : "keep",
  );
}

function filter(part: WireField, isKept: (name: string) => boolean): "keep" | "drop" {
  return part.no !== GRAPH_OUTPUT || isKept(getValueName(part)) ? "keep" : "drop";
}

/** The name of an input or output. */
export function getValueName(value: WireField): string {
  const name = readFields(toBytes(value)).find(({ no }) => no === VALUE_NAME);
  return name === undefined ? "" : toText(name);
}
