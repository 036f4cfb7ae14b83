import { toClockTime } from "./clock-time.ts";
import { layOutCues } from "./lay-out-cues.ts";
import type { CueLimits } from "./split-rows.ts";
import type { TimedText } from "./timed-text.ts";

/** SubRip. */
export function toSrt(text: TimedText, limits?: Partial<CueLimits>): string {
  return layOutCues(text, limits)
    .map(({ startSeconds, endSeconds, rows }, index) => {
      const times = `${toClockTime(startSeconds, ",")} --> ${toClockTime(endSeconds, ",")}`;
      return `${index + 1}\n${times}\n${rows.join("\n")}\n`;
    })
    .join("\n");
}

/** WebVTT, whose text may hold no bare markup. */
export function toVtt(text: TimedText, limits?: Partial<CueLimits>): string {
  const cues = layOutCues(text, limits).map(({ startSeconds, endSeconds, rows }) => {
    const times = `${toClockTime(startSeconds, ".")} --> ${toClockTime(endSeconds, ".")}`;
    return `\n${times}\n${rows.map(escapeMarkup).join("\n")}\n`;
  });
  return `WEBVTT\n${cues.join("")}`;
}

function escapeMarkup(row: string): string {
  return row.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
