import { toAssTime } from "./clock-time.ts";
import { escapeOverrides } from "./escape-overrides.ts";
import { toOneRow } from "./one-row.ts";
import { joinWords, type TimedText, type TimedWord } from "./timed-text.ts";

/** A line is shown a little before it is sung, if the previous one leaves room. */
const LEAD_SECONDS = 0.5;

const HEADER = `[Script Info]
; Made by Stemwright
ScriptType: v4.00+
WrapStyle: 0
ScaledBorderAndShadow: yes
PlayResX: 1280
PlayResY: 720

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Karaoke,Arial,48,&H0000D7FF,&H00FFFFFF,&H00202020,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,60,60,60,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;

/** Advanced SubStation Alpha: one event per line, with words that change colour as they are sung (`\k`, in centiseconds). */
export function toAss(text: TimedText): string {
  let shownUntil = 0;
  const events = text.lines
    .filter((line) => joinWords(line).trim() !== "")
    .map(({ words }) => {
      const startSeconds = words[0]?.startSeconds ?? 0;
      const shownFrom = Math.max(shownUntil, startSeconds - LEAD_SECONDS, 0);
      shownUntil = words.at(-1)?.endSeconds ?? startSeconds;
      return `Dialogue: 0,${toAssTime(shownFrom)},${toAssTime(shownUntil)},Karaoke,,0,0,0,,${toKaraoke(words, shownFrom)}\n`;
    });
  return HEADER + events.join("");
}

/** Each word after a tag with its length; a pause is a tag without text. Rounded on the line's clock, so that errors do not add up. */
function toKaraoke(words: readonly TimedWord[], shownFrom: number): string {
  const origin = Math.round(shownFrom * 100);
  let now = 0;
  let row = "";
  const advance = (seconds: number, shown: string) => {
    const until = Math.max(now, Math.round(seconds * 100) - origin);
    if (until > now || shown !== "") row += String.raw`{\k${until - now}}${shown}`;
    now = until;
  };
  for (const { startSeconds, endSeconds, text } of words) {
    advance(startSeconds, "");
    advance(endSeconds, escapeOverrides(toOneRow(text)));
  }
  return row.trimEnd();
}
