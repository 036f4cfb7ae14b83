type Part = string | number | readonly number[] | Uint8Array;

const encoder = new TextEncoder();

const toBytes = (part: Part): Uint8Array => {
  if (typeof part === "string") return encoder.encode(part);
  return typeof part === "number" ? Uint8Array.of(part) : Uint8Array.from(part);
};

export const concatenate = (...parts: readonly Part[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(parts.map(toBytes)));

const uint32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);

/** Pickle operations under their names in Python's pickletools. */
export const pickle = {
  document: (...parts: readonly Part[]) => concatenate([0x80, 2], ...parts, "."),
  text: (value: string) => concatenate("X", uint32(encoder.encode(value).length), value),
  integer: (value: number) => concatenate("J", new Uint8Array(Int32Array.of(value).buffer)),
  tuple: (...items: readonly Part[]) => concatenate("(", ...items, "t"),
  global: (module: string, name: string) => concatenate(`c${module}\n${name}\n`),
  call: (module: string, name: string, ...args: readonly Part[]) =>
    concatenate(pickle.global(module, name), pickle.tuple(...args), "R"),
  dict: (...items: readonly Part[]) => concatenate("}(", ...items, "u"),
};

type WrittenTensor = {
  shape: readonly number[];
  strides?: readonly number[];
  offset?: number;
  type?: string;
};

/** A tensor that is a view of the storage with this key. */
export function tensorOf(
  key: string,
  count: number,
  { shape, strides, offset = 0, type = "FloatStorage" }: WrittenTensor,
): Uint8Array {
  const steps =
    strides ?? shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const integers = (sizes: readonly number[]) => pickle.tuple(...sizes.map(pickle.integer));
  const storage = pickle.tuple(
    pickle.text("storage"),
    pickle.global("torch", type),
    pickle.text(key),
    pickle.text("cpu"),
    pickle.integer(count),
  );
  const args = [
    concatenate(storage, "Q"),
    pickle.integer(offset),
    integers(shape),
    integers(steps),
    [0x89],
    "}",
  ];
  return pickle.call("torch._utils", "_rebuild_tensor_v2", ...args);
}

type ZipFile = { name: string; bytes: Uint8Array; method?: number };

/** A zip archive of stored files; with `isZip64`, all sizes are where those above 4 GB are. */
export function writeZip(files: readonly ZipFile[], { isZip64 = false } = {}): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let at = 0;
  const uint16 = (value: number) => new Uint8Array(Uint16Array.of(value).buffer);
  const uint64 = (value: number) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
  for (const { name, bytes, method = 0 } of files) {
    const label = encoder.encode(name);
    const facts = concatenate(uint16(0), uint16(method), uint32(0), uint32(0));
    const sizes = (size: number) => concatenate(uint32(size), uint32(size), uint16(label.length));
    const local = concatenate(uint32(0x04034b50), uint16(20), facts, sizes(bytes.length), uint16(0), label);
    const long = concatenate(uint16(1), uint16(24), uint64(bytes.length), uint64(bytes.length), uint64(at));
    const extra = isZip64 ? long : new Uint8Array();
    central.push(
      concatenate(
        ...[uint32(0x02014b50), uint16(20), uint16(20), facts, sizes(isZip64 ? 0xffffffff : bytes.length)],
        ...[uint16(extra.length), uint16(0), uint16(0), uint16(0), uint32(0)],
        ...[uint32(isZip64 ? 0xffffffff : at), label, extra],
      ),
    );
    parts.push(local, bytes);
    at += local.length + bytes.length;
  }
  const directory = concatenate(...central);
  const end64 = concatenate(
    ...[uint32(0x06064b50), uint64(44), uint16(45), uint16(45), uint32(0), uint32(0)],
    ...[uint64(files.length), uint64(files.length), uint64(directory.length), uint64(at)],
  );
  const locator = concatenate(uint32(0x07064b50), uint32(0), uint64(at + directory.length), uint32(1));
  const end = concatenate(
    ...[uint32(0x06054b50), uint32(0), uint16(files.length), uint16(files.length)],
    ...[uint32(isZip64 ? 0xffffffff : directory.length), uint32(isZip64 ? 0xffffffff : at), uint16(0)],
  );
  return concatenate(...parts, directory, ...(isZip64 ? [end64, locator] : []), end);
}

/** What `torch.save` writes for this pickle and these storages. */
export const writeTorchZip = (
  document: Uint8Array,
  storages: Readonly<Record<string, Float32Array | Uint8Array>> = {},
  options: { isZip64?: boolean } = {},
): Uint8Array<ArrayBuffer> =>
  writeZip(
    [
      { name: "archive/data.pkl", bytes: document },
      ...Object.entries(storages).map(([key, { buffer, byteOffset, byteLength }]) => ({
        name: `archive/data/${key}`,
        bytes: new Uint8Array(buffer, byteOffset, byteLength),
      })),
    ],
    options,
  );
