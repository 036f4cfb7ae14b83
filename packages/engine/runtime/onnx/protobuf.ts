/** A field of a protobuf message: a number for varints, bytes for everything else. */
export type WireField = { no: number; value: number | Uint8Array };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A field: the value of a varint, or the byte span of anything else. */
export type FieldSpan = { no: number; value: number | undefined; start: number; end: number };

/** The fields of the message between two byte positions; nested messages are skipped. */
export function* findFields(
  source: { byteAt: (at: number) => number | undefined },
  message: { start: number; end: number },
): Generator<FieldSpan> {
  let at = message.start;
  const readVarint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = at < message.end ? source.byteAt(at++) : undefined;
      if (byte === undefined) throw new RangeError("the protobuf message ends inside a number");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const readLength = (wire: number) => {
    if (wire === BYTES) return readVarint();
    if (wire === FIXED32) return 4;
    if (wire === FIXED64) return 8;
    throw new RangeError(`the protobuf message has a field of unknown wire type ${wire}`);
  };
  while (at < message.end) {
    const key = readVarint();
    const no = Math.floor(key / 8);
    const wire = key % 8;
    const value = wire === VARINT ? readVarint() : undefined;
    const length = wire === VARINT ? 0 : readLength(wire);
    const start = at;
    at += length;
    if (at > message.end) throw new RangeError("the protobuf message ends inside a field");
    yield { no, value, start, end: at };
  }
}

/** Splits a message into its fields. Bytes are views of the message, so a graph's weights are not copied. */
export function readFields(message: Uint8Array): WireField[] {
  const source = { byteAt: (at: number) => message[at] };
  const spans = findFields(source, { start: 0, end: message.length });
  return Array.from(spans, ({ no, value, start, end }) => ({
    no,
    value: value ?? message.subarray(start, end),
  }));
}

export function toBytes(field: WireField): Uint8Array {
  if (typeof field.value === "number") throw new RangeError(`field ${field.no} is a number, not bytes`);
  return field.value;
}

export function toText(field: WireField): string {
  return decoder.decode(toBytes(field));
}

export function toNumber(field: WireField): number {
  if (typeof field.value !== "number") throw new RangeError(`field ${field.no} is not a number`);
  return field.value;
}

/** A message under construction; its parts are concatenated once, at the end. */
export class MessageWriter {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  number(no: number, value: number): this {
    return this.#push(varint(no * 8 + VARINT)).#push(varint(value));
  }

  float(no: number, value: number): this {
    return this.#push(varint(no * 8 + FIXED32)).#push(new Uint8Array(Float32Array.of(value).buffer));
  }

  bytes(no: number, value: Uint8Array): this {
    return this.#push(varint(no * 8 + BYTES))
      .#push(varint(value.length))
      .#push(value);
  }

  text(no: number, value: string): this {
    return this.bytes(no, encoder.encode(value));
  }

  message(no: number, value: MessageWriter): this {
    this.#push(varint(no * 8 + BYTES)).#push(varint(value.#length));
    for (const piece of value.#pieces) this.#push(piece);
    return this;
  }

  toBytes(): Uint8Array {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  }

  #push(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
