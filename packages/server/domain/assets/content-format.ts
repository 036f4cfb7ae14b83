/** Enough to recognise a file by its beginning. */
export const FORMAT_HEAD_BYTES = 4096;

const startsWith = (head: Buffer, text: string, at = 0) =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, "latin1"));

/** By the major brand of an mp4, which distinguishes video from audio. */
function toMovieFormat(brand: string): string {
  if (/^(M4A|M4B|M4P)/.test(brand)) return "m4a";
  if (brand.startsWith("3g")) return "3gp";
  return brand.startsWith("qt") ? "mov" : "mp4";
}

/** Whether two consecutive frame headers of MPEG audio or AAC match, by sync word and fixed bits. */
function findFrameFormat(head: Buffer): string | undefined {
  const word = head.length >= 2 ? head.readUInt16BE() : 0;
  const layer = (word >> 1) & 3;
  if (word >> 4 === 0xfff && layer === 0) return "aac";
  const bitRateAndRate = head[2] ?? 0xff;
  const isFrame = word >> 5 === 0x7ff && ((word >> 3) & 3) !== 1 && layer === 1;
  return isFrame && bitRateAndRate >> 4 !== 15 && ((bitRateAndRate >> 2) & 3) !== 3 ? "mp3" : undefined;
}

function findEbmlFormat(head: Buffer): string {
  return head.includes("webm") ? "webm" : "mkv";
}

function findOggFormat(head: Buffer): string {
  return head.includes("OpusHead") ? "opus" : "ogg";
}

/** What a file begins with. */
const MAGIC: readonly (readonly [string, string])[] = [
  ["fLaC", "flac"],
  ["caff", "caf"],
  [".snd", "au"],
  ["riff\x2e\x91\xcf\x11", "w64"],
  ["wvpk", "wv"],
  ["#!AMR", "amr"],
  ["FLV\x01", "flv"],
  ["\x00\x00\x01\xba", "mpg"],
  // Windows Media: whether there is a picture is said further on.
  ["\x30\x26\xb2\x75\x8e\x66\xcf\x11", "wma"],
];

/** Packets begin with a sync byte; those of Blu-ray and cameras have four bytes before it. */
const TRANSPORT_PACKETS = [
  { format: "ts", syncAt: 0, sizeBytes: 188 },
  { format: "m2ts", syncAt: 4, sizeBytes: 192 },
] as const;

function isTransportStream(head: Buffer, packet: (typeof TRANSPORT_PACKETS)[number]): boolean {
  const starts = Array.from({ length: 4 }, (_, index) => index * packet.sizeBytes + packet.syncAt);
  return starts.every((at) => head[at] === 0x47);
}

/** AC-3 up to version 8 of its bit stream, E-AC-3 from 11 on (ETSI TS 102 366). */
function findDolbyFormat(head: Buffer): string | undefined {
  if (!startsWith(head, "\x0b\x77") || head.length < 6) return undefined;
  return (head[5] as number) >> 3 > 10 ? "eac3" : "ac3";
}

/** The media format, by the first bytes of a file. */
export function findMediaFormat(head: Buffer): string | undefined {
  const isRiff = startsWith(head, "RIFF") || startsWith(head, "RF64") || startsWith(head, "BW64");
  if (isRiff && startsWith(head, "WAVE", 8)) return "wav";
  if (startsWith(head, "FORM") && (startsWith(head, "AIFF", 8) || startsWith(head, "AIFC", 8))) return "aiff";
  if (isRiff && startsWith(head, "AVI ", 8)) return "avi";
  for (const [magic, format] of MAGIC) if (startsWith(head, magic)) return format;
  if (startsWith(head, "OggS")) return findOggFormat(head);
  if (startsWith(head, "\x1a\x45\xdf\xa3")) return findEbmlFormat(head);
  if (startsWith(head, "ftyp", 4)) return toMovieFormat(head.toString("latin1", 8, 12));
  if (["moov", "mdat", "wide", "free", "skip"].some((box) => startsWith(head, box, 4))) return "mov";
  if (startsWith(head, "ID3")) return findTaggedFormat(head);
  const packets = TRANSPORT_PACKETS.find((packet) => isTransportStream(head, packet));
  if (packets) return packets.format;
  return findDolbyFormat(head) ?? findFrameFormat(head);
}

/** After an ID3 tag comes mp3, or less often AAC or FLAC; a tag with cover art is longer than the head, and then mp3 is assumed. */
function findTaggedFormat(head: Buffer): string {
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((head[at] ?? 0) & 0x7f), 0);
  return findMediaFormat(head.subarray(10 + size)) ?? "mp3";
}

/** json or txt for text in UTF-8, or in UTF-16 with a byte order mark; `isWhole` if the head is the whole file. */
export function findTextFormat(head: Buffer, { isWhole }: { isWhole: boolean }): string | undefined {
  const isUtf16 = startsWith(head, "\xff\xfe") || startsWith(head, "\xfe\xff");
  if (isUtf16) return "txt";
  // A head that ends inside a character is still text.
  const text = decodeUtf8(head, isWhole);
  if (text === undefined || hasControlCharacters(text)) return undefined;
  return /^\s*(\{\s*("|\}|$)|\[\s*([[{"]|$))/.test(text) ? "json" : "txt";
}

/** Except white space, text has none. */
const hasControlCharacters = (text: string) => /\p{Cc}/u.test(text.replace(/\s/g, ""));

function decodeUtf8(bytes: Buffer, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}
