/** Field numbers of onnx.proto3. */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;
const VALUE_NAME = 1;

const LENGTH_DELIMITED = 2;
const FIXED_64 = 1;
const FIXED_32 = 5;

type Field = { number: number; startByte: number; contentByte: number; endByte: number };

/**
 * An ONNX file without those outputs of its graph that `isKept` refuses. What a graph offers it must compute and hold to the end,
 * asked for or not, and may not fuse: the attention matrices that Whisper's encoders offer are most of their memory.
 */
export function withoutOutputs(model: Uint8Array, isKept: (name: string) => boolean): Uint8Array {
  return Buffer.concat(
    listFields(model).flatMap((field) =>
      field.number === MODEL_GRAPH
        ? withLength(MODEL_GRAPH, filterOutputs(model.subarray(field.contentByte, field.endByte), isKept))
        : [model.subarray(field.startByte, field.endByte)],
    ),
  );
}

function filterOutputs(graph: Uint8Array, isKept: (name: string) => boolean): Uint8Array[] {
  return listFields(graph)
    .filter(
      (field) =>
        field.number !== GRAPH_OUTPUT || isKept(findName(graph.subarray(field.contentByte, field.endByte))),
    )
    .map((field) => graph.subarray(field.startByte, field.endByte));
}

function findName(value: Uint8Array): string {
  const name = listFields(value).find(({ number }) => number === VALUE_NAME);
  return name === undefined ? "" : new TextDecoder().decode(value.subarray(name.contentByte, name.endByte));
}

function withLength(number: number, parts: Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [toVarint(number * 8 + LENGTH_DELIMITED), toVarint(length), ...parts];
}

function listFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error("the ONNX file is cut short");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const startByte = at;
    const tag = readVarint();
    const wireType = tag % 8;
    let contentByte = at;
    if (wireType === LENGTH_DELIMITED) {
      const length = readVarint();
      contentByte = at;
      at += length;
    } else if (wireType === FIXED_64) at += 8;
    else if (wireType === FIXED_32) at += 4;
    else readVarint();
    fields.push({ number: Math.floor(tag / 8), startByte, contentByte, endByte: at });
  }
  return fields;
}

function toVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}
