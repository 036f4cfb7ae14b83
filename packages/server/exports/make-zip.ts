import { crc32 } from "node:zlib";
import { makeDescriptor, makeEnd, makeListEntry, makeLocalHeader, type ZipFile } from "./zip-records.ts";

export type ZipEntry = ZipFile & { open(): Promise<AsyncIterable<Uint8Array>> };

const LIST_CHECKSUM_UNKNOWN = 0;

/** The length of the archive: the stored files plus the records around them. */
export function countZipBytes(files: readonly ZipFile[]): number {
  let startByte = 0;
  let listBytes = 0;
  for (const file of files) {
    listBytes += makeListEntry(file, { checksum: LIST_CHECKSUM_UNKNOWN, startByte }).length;
    startByte +=
      makeLocalHeader(file).length + file.sizeBytes + makeDescriptor(file, LIST_CHECKSUM_UNKNOWN).length;
  }
  const end = makeEnd({ count: files.length, sizeBytes: listBytes, startByte });
  return startByte + listBytes + end.length;
}

/** A zip archive of uncompressed files, generated while it is read: at most one block is in memory. */
export async function* makeZip(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array> {
  const list: Buffer[] = [];
  let startByte = 0;
  for (const entry of entries) {
    const header = makeLocalHeader(entry);
    yield header;
    let checksum = 0;
    let sizeBytes = 0;
    for await (const block of await entry.open()) {
      checksum = crc32(block, checksum);
      sizeBytes += block.length;
      yield block;
    }
    // The length was announced before the first byte.
    if (sizeBytes !== entry.sizeBytes)
      throw new Error(`${entry.name} has ${sizeBytes} bytes instead of ${entry.sizeBytes}`);
    const descriptor = makeDescriptor(entry, checksum);
    yield descriptor;
    list.push(makeListEntry(entry, { checksum, startByte }));
    startByte += header.length + sizeBytes + descriptor.length;
  }
  const listBytes = Buffer.concat(list);
  yield listBytes;
  yield makeEnd({ count: entries.length, sizeBytes: listBytes.length, startByte });
}
