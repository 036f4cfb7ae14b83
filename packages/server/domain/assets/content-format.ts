/** Enough to recognise a file by its beginning. */
export const FORMAT_HEAD_BYTES = 4096;

const startsWith = (head: Buffer, text: string, at = 0) =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, "latin1"));

/** By the major brand of an mp4, which distinguishes video from audio. */
function toMovieFormat(brand: string): string {
  if (/^(M4A|M4B|M4P)/.test(brand)) return "m4a";
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

/** The media format, by the first bytes of a file. */
export function findMediaFormat(head: Buffer): string | undefined {
  const isRiff = startsWith(head, "RIFF") || startsWith(head, "RF64") || startsWith(head, "BW64");
  if (isRiff && startsWith(head, "WAVE", 8)) return "wav";
  if (startsWith(head, "FORM") && (startsWith(head, "AIFF", 8) || startsWith(head, "AIFC", 8))) return "aiff";
  if (startsWith(head, "fLaC")) return "flac";
  if (startsWith(head, "OggS")) return findOggFormat(head);
  if (startsWith(head, "\x1a\x45\xdf\xa3")) return findEbmlFormat(head);
  if (startsWith(head, "ftyp", 4)) return toMovieFormat(head.toString("latin1", 8, 12));
  if (["moov", "mdat", "wide", "free", "skip"].some((box) => startsWith(head, box, 4))) return "mov";
  if (startsWith(head, "ID3")) return findTaggedFormat(head);
  return findFrameFormat(head);
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
