import { checkFinite } from "../check-finite.ts";
import { findSpeakerName, type TextOptions } from "./speaker-name.ts";
import type { TextFormat } from "./text-format.ts";
import { findSpeaker, joinLines, joinWords, type TimedText } from "./timed-text.ts";
import { toAss } from "./to-ass.ts";
import { toJson } from "./to-json.ts";
import { toLrc } from "./to-lrc.ts";
import { toSrt, toVtt } from "./to-subtitles.ts";
import { toUltraStar } from "./to-ultrastar.ts";

const WRITERS: Record<TextFormat, (text: TimedText, options: TextOptions) => string> = {
  json: toJson,
  srt: toSrt,
  vtt: toVtt,
  lrc: toLrc,
  txt: toTxt,
  ass: toAss,
  ultrastar: toUltraStar,
};

/** The content of a text output; subtitles respect the limits. */
export function writeText(text: TimedText, format: TextFormat, options: TextOptions = {}): string {
  checkFinite(
    text.lines.map(({ words }) =>
      Float32Array.from(words.flatMap((word) => [word.startSeconds, word.endSeconds, word.confidence])),
    ),
  );
  return WRITERS[format](text, options);
}

function toTxt(text: TimedText, options: TextOptions): string {
  if (!options.hasNames) return joinLines(text);
  return text.lines
    .map((line) => {
      const name = findSpeakerName(findSpeaker(line), options);
      return `${name === undefined ? "" : `${name}: `}${joinWords(line)}`;
    })
    .join("");
}
