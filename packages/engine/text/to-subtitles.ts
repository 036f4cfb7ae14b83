import { toClockTime } from "./clock-time.ts";
import { layOutCues } from "./lay-out-cues.ts";
import { type TextOptions, toSpeakerName } from "./speaker-name.ts";
import type { TimedText } from "./timed-text.ts";

export function toSrt(text: TimedText, options: TextOptions = {}): string {
  return layOutCues(text, options)
    .map(({ startSeconds, endSeconds, rows, speaker }, index) => {
      const times = `${toClockTime(startSeconds, ",")} --> ${toClockTime(endSeconds, ",")}`;
      const name = options.hasNames && speaker !== undefined ? `${toSpeakerName(speaker)}: ` : "";
      return `${index + 1}\n${times}\n${name}${rows.join("\n")}\n`;
    })
    .join("\n");
}

/** WebVTT, with markup characters escaped. */
export function toVtt(text: TimedText, options: TextOptions = {}): string {
  const cues = layOutCues(text, options).map(({ startSeconds, endSeconds, rows, speaker }) => {
    const times = `${toClockTime(startSeconds, ".")} --> ${toClockTime(endSeconds, ".")}`;
    const name = options.hasNames && speaker !== undefined ? `<v ${toSpeakerName(speaker)}>` : "";
    return `\n${times}\n${name}${rows.map(escapeMarkup).join("\n")}\n`;
  });
  return `WEBVTT\n${cues.join("")}`;
}

function escapeMarkup(row: string): string {
  return row.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
