import type { CueLimits } from "./split-rows.ts";
import type { TextFormat } from "./text-format.ts";
import { joinLines, type TimedText } from "./timed-text.ts";
import { toAss } from "./to-ass.ts";
import { toJson } from "./to-json.ts";
import { toLrc } from "./to-lrc.ts";
import { toSrt, toVtt } from "./to-subtitles.ts";
import { toUltraStar } from "./to-ultrastar.ts";

const WRITERS: Record<TextFormat, (text: TimedText, limits?: Partial<CueLimits>) => string> = {
  json: toJson,
  srt: toSrt,
  vtt: toVtt,
  lrc: toLrc,
  txt: joinLines,
  ass: toAss,
  ultrastar: toUltraStar,
};

/** The content of a text output; subtitles keep to the limits. */
export function writeText(text: TimedText, format: TextFormat, limits?: Partial<CueLimits>): string {
  return WRITERS[format](text, limits);
}
