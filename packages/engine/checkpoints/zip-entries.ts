import { type ByteSource, makePart } from "./byte-source.ts";
import { CheckpointError, makeDamagedError } from "./checkpoint-error.ts";

const END = { signature: 0x06054b50, bytes: 22 };
const END64_LOCATOR = { signature: 0x07064b50, bytes: 20 };
const END64 = { signature: 0x06064b50, bytes: 56 };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_FIELD = 1;
const ENCRYPTED = 1;
const STORED = 0;
const IN_ZIP64_FIELD = 0xffffffff;
/** Of the list of entries: 200,000 tensors. */
const MAX_DIRECTORY_BYTES = 32 * 1024 ** 2;

type Entry = { name: string; flags: number; method: number; sizeBytes: number; localStart: number };

/**
 * The files of a zip archive that are stored as they are, as PyTorch writes them; each is found when it is asked for. Nothing is
 * inflated, so the archive can't be larger than it looks.
 */
export class ZipEntries {
  readonly #source: ByteSource;
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#entries = new Map(listEntries(source).map((entry) => [entry.name, entry]));
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  find(name: string): ByteSource | undefined {
    const entry = this.#entries.get(name);
    return entry && openEntry(entry, this.#source);
  }
}

function openEntry({ name, flags, method, sizeBytes, localStart }: Entry, source: ByteSource): ByteSource {
  if ((flags & ENCRYPTED) !== 0) throw new CheckpointError("unsupported", `${name} is encrypted.`);
  if (method !== STORED)
    throw new CheckpointError(
      "unsupported",
      `${name} is compressed, which PyTorch never does. If this is an archive with a checkpoint inside, unpack it.`,
    );
  const local = readRecord(source, localStart, LOCAL);
  const dataStart = localStart + LOCAL.bytes + local.getUint16(26, true) + local.getUint16(28, true);
  return makePart(source, dataStart, sizeBytes);
}

function readRecord(source: ByteSource, start: number, { signature, bytes }: typeof END): DataView {
  const record = new DataView(source.read(start, bytes).buffer);
  if (record.getUint32(0, true) !== signature)
    throw makeDamagedError(`there is no zip record at byte ${start}`);
  return record;
}

function listEntries(source: ByteSource): Entry[] {
  const { start, sizeBytes, count } = findDirectory(source);
  if (sizeBytes > MAX_DIRECTORY_BYTES)
    throw new CheckpointError("too-large", `The file lists ${count} entries, more than any checkpoint has.`);
  const bytes = source.read(start, sizeBytes);
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { entry, lengthBytes } = readEntry(bytes, at);
    entries.push(entry);
    at += lengthBytes;
  }
  if (entries.length !== count) throw makeDamagedError(`it has ${entries.length} of ${count} entries`);
  return entries;
}

function findDirectory(source: ByteSource): { start: number; sizeBytes: number; count: number } {
  const tailBytes = Math.min(source.sizeBytes, END.bytes + MAX_COMMENT_BYTES);
  const tailStart = source.sizeBytes - tailBytes;
  const tail = new DataView(source.read(tailStart, tailBytes).buffer);
  for (let at = tailBytes - END.bytes; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END.signature) continue;
    return (
      findZip64Directory(source, tailStart + at) ?? {
        count: tail.getUint16(at + 10, true),
        sizeBytes: tail.getUint32(at + 12, true),
        start: tail.getUint32(at + 16, true),
      }
    );
  }
  throw makeDamagedError("its end, with the list of its tensors, is missing");
}

function findZip64Directory(source: ByteSource, endStart: number) {
  const locatorStart = endStart - END64_LOCATOR.bytes;
  if (locatorStart < 0) return undefined;
  const locator = new DataView(source.read(locatorStart, END64_LOCATOR.bytes).buffer);
  if (locator.getUint32(0, true) !== END64_LOCATOR.signature) return undefined;
  const end = readRecord(source, Number(locator.getBigUint64(8, true)), END64);
  return {
    count: Number(end.getBigUint64(32, true)),
    sizeBytes: Number(end.getBigUint64(40, true)),
    start: Number(end.getBigUint64(48, true)),
  };
}

function readEntry(bytes: Uint8Array<ArrayBuffer>, at: number): { entry: Entry; lengthBytes: number } {
  const view = new DataView(bytes.buffer, at);
  if (view.byteLength < CENTRAL.bytes || view.getUint32(0, true) !== CENTRAL.signature)
    throw makeDamagedError("its list of tensors can't be read");
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((from) => view.getUint16(from, true)) as [
    number,
    number,
    number,
  ];
  const lengthBytes = CENTRAL.bytes + nameBytes + extraBytes + commentBytes;
  if (lengthBytes > view.byteLength) throw makeDamagedError("its list of tensors is cut off");
  const extraStart = CENTRAL.bytes + nameBytes;
  const extra = new DataView(bytes.buffer, at + extraStart, extraBytes);
  const [sizeBytes, compressedBytes, localStart] = readLongSizes(
    [view.getUint32(24, true), view.getUint32(20, true), view.getUint32(42, true)],
    extra,
  ) as [number, number, number];
  const [flags, method] = [view.getUint16(8, true), view.getUint16(10, true)];
  if (method === STORED && sizeBytes !== compressedBytes) throw makeDamagedError("an entry has two sizes");
  const name = new TextDecoder().decode(bytes.subarray(at + CENTRAL.bytes, at + extraStart));
  return { entry: { name, flags, method, sizeBytes, localStart }, lengthBytes };
}

/** Numbers that don't fit into 32 bits follow in an extra field, in this order. */
function readLongSizes(sizes: readonly number[], extra: DataView): number[] {
  if (!sizes.includes(IN_ZIP64_FIELD)) return [...sizes];
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== ZIP64_FIELD) continue;
    let next = at + 4;
    return sizes.map((size) => {
      if (size !== IN_ZIP64_FIELD) return size;
      if (next + 8 > extra.byteLength) throw makeDamagedError("the size of an entry is missing");
      next += 8;
      return Number(extra.getBigUint64(next - 8, true));
    });
  }
  throw makeDamagedError("the size of an entry is missing");
}
