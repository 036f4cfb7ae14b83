import { type ByteSource, makePart } from "./byte-source.ts";
import { CheckpointError, makeDamagedError } from "./checkpoint-error.ts";
import { checkTensor, type FileTensor } from "./file-tensor.ts";
import { PickleCursor } from "./pickle/pickle-cursor.ts";
import { findText, type PickledStorage, type PickledTensor } from "./pickle/pickled.ts";
import { readPickle } from "./pickle/read-pickle.ts";
import { TENSOR_TYPES } from "./tensor-type.ts";
import { ZipEntries } from "./zip-entries.ts";

/** What `torch.save` was given, and the numbers of its tensors, which stay in the file. */
export type TorchFile = {
  root: unknown;
  toStored(name: string, tensor: PickledTensor): FileTensor;
};

type FindStorage = (storage: PickledStorage) => ByteSource;

const makeTorchFile = (root: unknown, findStorage: FindStorage): TorchFile => ({
  root,
  toStored(name, { storage, offset, shape, strides }) {
    const source = findStorage(storage);
    const tensor = { name, shape, dtype: storage.dtype, storage: source, offset, strides };
    checkTensor(tensor);
    return tensor;
  },
});

/** The format since torch 1.6: a zip archive with the pickle, and a file for each storage. */
export function openTorchZip(source: ByteSource): TorchFile {
  const entries = new ZipEntries(source);
  const path = entries.names.find((name) => /^[^/]*\/data\.pkl$/.test(name) || name === "data.pkl");
  if (path === undefined) throw new CheckpointError("unsupported", explainOtherArchive(entries.names));
  const folder = path.slice(0, -"data.pkl".length);
  if (entries.names.some((name) => name.startsWith(`${folder}code/`)))
    throw new CheckpointError(
      "refused",
      "The file is a TorchScript program, which would have to be executed. Look for the same network as a state dict.",
    );
  const order = entries.find(`${folder}byteorder`);
  if (order !== undefined && readText(order, 16) !== "little")
    throw new CheckpointError(
      "unsupported",
      "The file was saved on a big-endian machine, which is not supported.",
    );
  const pickle = entries.find(path);
  if (pickle === undefined) throw makeDamagedError("it has no list of tensors");
  const root = readPickle(new PickleCursor(pickle));
  return makeTorchFile(root, ({ key, dtype, elementCount }) => {
    const storage = entries.find(`${folder}data/${key}`);
    if (storage === undefined)
      throw makeDamagedError(`it lacks the numbers ${JSON.stringify(key.slice(0, 40))}`);
    const sizeBytes = elementCount * TENSOR_TYPES[dtype];
    if (storage.sizeBytes < sizeBytes)
      throw makeDamagedError(`it has ${storage.sizeBytes} of ${sizeBytes} bytes of the numbers ${key}`);
    return makePart(storage, 0, sizeBytes);
  });
}

function explainOtherArchive(names: readonly string[]): string {
  const some = names.slice(0, 3).join(", ");
  return `The file is a zip archive, but not one that PyTorch wrote: it has ${some || "nothing in it"}. If there is a checkpoint inside, unpack it.`;
}

const readText = (source: ByteSource, maxBytes: number) =>
  new TextDecoder().decode(source.read(0, Math.min(maxBytes, source.sizeBytes))).trim();

const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn;
const LEGACY_PROTOCOL = 1001;
const COUNT_BYTES = 8;

/** The format before torch 1.6: five pickles in a row, then for each storage the number of its elements and these. */
export function openLegacyTorch(source: ByteSource): TorchFile {
  const cursor = new PickleCursor(source);
  if (readPickle(cursor) !== LEGACY_MAGIC || readPickle(cursor) !== LEGACY_PROTOCOL)
    throw new CheckpointError(
      "unsupported",
      "The file is a pickle, but not one that PyTorch wrote. Save the weights with torch.save(model.state_dict(), path).",
    );
  const system = readPickle(cursor);
  if (system instanceof Map && system.get("little_endian") === false)
    throw new CheckpointError(
      "unsupported",
      "The file was saved on a big-endian machine, which is not supported.",
    );
  const known = new Map<string, PickledStorage>();
  const root = readPickle(cursor, (storage) => void known.set(storage.key, storage));
  const keys = readPickle(cursor);
  if (!Array.isArray(keys)) throw makeDamagedError("it has no list of its numbers");
  const storages = locateStorages(source, cursor.at, { keys: keys.map((key) => findText(key) ?? ""), known });
  return makeTorchFile(root, ({ key }) => {
    const storage = storages.get(key);
    if (storage === undefined)
      throw makeDamagedError(`it lacks the numbers ${JSON.stringify(key.slice(0, 40))}`);
    return storage;
  });
}

function locateStorages(
  source: ByteSource,
  start: number,
  { keys, known }: { keys: readonly string[]; known: ReadonlyMap<string, PickledStorage> },
): Map<string, ByteSource> {
  const storages = new Map<string, ByteSource>();
  let at = start;
  for (const key of keys) {
    const storage = known.get(key);
    if (storage === undefined) throw makeDamagedError("it has numbers that belong to no tensor");
    const count = Number(new DataView(source.read(at, COUNT_BYTES).buffer).getBigInt64(0, true));
    if (count !== storage.elementCount)
      throw makeDamagedError(`it has ${count} of ${storage.elementCount} numbers of a tensor`);
    const sizeBytes = count * TENSOR_TYPES[storage.dtype];
    at += COUNT_BYTES;
    storages.set(key, makePart(source, at, sizeBytes));
    at += sizeBytes;
  }
  return storages;
}
