import { type Box, findBox, getBox, listBoxes, makeBox } from "./mp4-box.ts";

/** The content of the `moov` box of a file with one track, and how far its audio moves in the joined file. */
export type JoinedTrack = { moov: Buffer; shiftBytes: number };

/** Track flag: players without stem support play only enabled tracks. */
const ENABLED = 1;
const IN_MOVIE = 2;
const IN_PREVIEW = 4;

/** The `moov` box of a file with all the tracks, only the first of them enabled. File-level metadata such as the title comes from the first. */
export function joinTracks(tracks: readonly JoinedTrack[], stemMetadata: string): Buffer {
  const headers = tracks.map(({ moov }) => getBox(moov, "mvhd"));
  if (new Set(headers.map(({ content }) => readTimes(content).timescale)).size > 1)
    throw new Error("all tracks of a file must have the same timescale");
  const longest = headers.reduce((a, b) =>
    readTimes(b.content).duration > readTimes(a.content).duration ? b : a,
  );
  const traks = tracks.map(({ moov, shiftBytes }, index) => makeTrack(moov, { id: index + 1, shiftBytes }));
  const written = findBox(tracks[0]?.moov ?? Buffer.alloc(0), "udta")?.content ?? Buffer.alloc(0);
  const userData = makeBox("udta", written, makeBox("stem", Buffer.from(stemMetadata)));
  return makeBox("moov", makeMovieHeader(longest, tracks.length + 1), ...traks, userData);
}

/** Timescale and duration of an `mvhd` box; version 1 has 8-byte times. */
function readTimes(content: Buffer): { timescale: number; duration: number } {
  return content.readUInt8(0) === 1
    ? { timescale: content.readUInt32BE(20), duration: Number(content.readBigUInt64BE(24)) }
    : { timescale: content.readUInt32BE(12), duration: content.readUInt32BE(16) };
}

function makeMovieHeader({ whole }: Box, nextTrackId: number): Buffer {
  const header = Buffer.from(whole);
  header.writeUInt32BE(nextTrackId, header.length - 4);
  return header;
}

function makeTrack(moov: Buffer, { id, shiftBytes }: { id: number; shiftBytes: number }): Buffer {
  const track = Buffer.from(getBox(moov, "trak").whole);
  const { content } = getBox(track, "trak");
  const header = getBox(content, "tkhd").content;
  header.writeUIntBE(IN_MOVIE | IN_PREVIEW | (id === 1 ? ENABLED : 0), 1, 3);
  // Version 1 has 8-byte times.
  const [idAt, groupAt] = header.readUInt8(0) === 1 ? [20, 46] : [12, 34];
  header.writeUInt32BE(id, idAt);
  // No group: tracks of a group are alternatives of each other.
  header.writeUInt16BE(0, groupAt);
  const tables = getBox(content, "mdia", "minf", "stbl").content;
  for (const box of listBoxes(tables)) shiftOffsets(box, shiftBytes);
  return track;
}

/** Shifts the table of chunk offsets: version, number of entries, entries. */
function shiftOffsets({ type, content }: Box, shiftBytes: number): void {
  if (type !== "stco" && type !== "co64") return;
  const count = content.readUInt32BE(4);
  for (let n = 0; n < count; n++) {
    if (type === "stco") content.writeUInt32BE(content.readUInt32BE(8 + 4 * n) + shiftBytes, 8 + 4 * n);
    else content.writeBigUInt64BE(content.readBigUInt64BE(8 + 8 * n) + BigInt(shiftBytes), 8 + 8 * n);
  }
}
