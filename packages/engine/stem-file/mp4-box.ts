/** A box of an MP4 file (ISO/IEC 14496-12), as views of the bytes it was found in. */
export type Box = { type: string; content: Buffer; whole: Buffer };

/** Size and type; if four bytes are too few for the size, eight more follow. */
export const BOX_HEADER_BYTES = 8;
export const LARGE_BOX_HEADER_BYTES = 16;

/** Type, size and header size of a box, from its first 16 bytes (8 for a small one). */
export function readBoxHeader(bytes: Buffer): { type: string; sizeBytes: number; headerBytes: number } {
  const type = bytes.toString("latin1", 4, BOX_HEADER_BYTES);
  const size = bytes.readUInt32BE(0);
  if (size === 1)
    return { type, sizeBytes: Number(bytes.readBigUInt64BE(8)), headerBytes: LARGE_BOX_HEADER_BYTES };
  if (size < BOX_HEADER_BYTES) throw new Error(`the MP4 box ${type} has an impossible size`);
  return { type, sizeBytes: size, headerBytes: BOX_HEADER_BYTES };
}

/** Consecutive boxes. */
export function listBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { type, sizeBytes, headerBytes } = readBoxHeader(bytes.subarray(at));
    const whole = bytes.subarray(at, at + sizeBytes);
    if (whole.length < sizeBytes) throw new Error(`the MP4 box ${type} is longer than its parent`);
    boxes.push({ type, whole, content: whole.subarray(headerBytes) });
    at += sizeBytes;
  }
  return boxes;
}

/** The first box at a path, such as `mdia`, `minf`, `stbl`. */
export function findBox(bytes: Buffer, ...path: string[]): Box | undefined {
  const [first, ...rest] = path;
  const box = listBoxes(bytes).find(({ type }) => type === first);
  return box && rest.length > 0 ? findBox(box.content, ...rest) : box;
}

export function getBox(bytes: Buffer, ...path: string[]): Box {
  const box = findBox(bytes, ...path);
  if (!box) throw new Error(`the MP4 file has no box ${path.join("/")}`);
  return box;
}

export function makeBox(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(BOX_HEADER_BYTES + content.length);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, content]);
}
