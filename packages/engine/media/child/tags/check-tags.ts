import { countApe } from "./count-ape.ts";
import { countAsf } from "./count-asf.ts";
import { countFlv } from "./count-flv.ts";
import { countId3 } from "./count-id3.ts";
import { countAiff, countBoxes, countCaf, countMatroska, countWav } from "./count-nested.ts";
import { countFlac, countOgg } from "./count-vorbis.ts";
import { FileWindow } from "./file-window.ts";
import { TagCount } from "./tag-count.ts";

const HEAD_BYTES = 12;

type Format = { start: RegExp; countTags(file: FileWindow, atByte: number, count: TagCount): void };

const FORMATS: readonly Format[] = [
  { start: /^fLaC/, countTags: countFlac },
  { start: /^OggS/, countTags: countOgg },
  { start: /^(RIFF|RF64|BW64).{4}WAVE/s, countTags: countWav },
  { start: /^FORM.{4}AIF[FC]/s, countTags: countAiff },
  { start: /^RIFF.{4}AVI /s, countTags: countWav },
  { start: /^0&²u/, countTags: countAsf },
  { start: /^FLV/, countTags: countFlv },
  { start: /^wvpk/, countTags: countApe },
  { start: /^caff/, countTags: countCaf },
  { start: /^.Eß£/s, countTags: countMatroska },
  { start: /^.{4}(ftyp|moov|mdat|wide|free|skip|pnot)/s, countTags: countBoxes },
];

/**
 * Refuses a file whose tags would take FFmpeg long, before it reads any: the time grows with the square of their number. What a file
 * hides from this by damage costs the limit on CPU time.
 */
export function checkTags(fd: number): void {
  const file = new FileWindow(fd);
  const count = new TagCount();
  const at = countId3(file, 0, count);
  const head = file.read(at, HEAD_BYTES).toString("latin1");
  FORMATS.find(({ start }) => start.test(head))?.countTags(file, at, count);
}
