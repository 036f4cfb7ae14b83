import { toClockTime } from "./clock-time.ts";
import { escapeOverrides } from "./escape-overrides.ts";
import { layOutCues } from "./lay-out-cues.ts";
import { findSpeakerName, type TextOptions } from "./speaker-name.ts";
import type { TimedText } from "./timed-text.ts";

/** SubRip, with what players take for markup escaped. */
export function toSrt(text: TimedText, options: TextOptions = {}): string {
  return layOutCues(text, options)
    .map(({ startSeconds, endSeconds, rows, speaker }, index) => {
      const times = `${toClockTime(startSeconds, ",")} --> ${toClockTime(endSeconds, ",")}`;
      const name = findSpeakerName(speaker, options);
      const before = name === undefined ? "" : `${escapeSrt(name)}: `;
      return `${index + 1}\n${times}\n${before}${rows.map(escapeSrt).join("\n")}\n`;
    })
    .join("\n");
}

/** WebVTT, with markup characters escaped. */
export function toVtt(text: TimedText, options: TextOptions = {}): string {
  const cues = layOutCues(text, options).map(({ startSeconds, endSeconds, rows, speaker }) => {
    const times = `${toClockTime(startSeconds, ".")} --> ${toClockTime(endSeconds, ".")}`;
    const name = findSpeakerName(speaker, options);
    const before = name === undefined ? "" : `<v ${escapeVtt(name)}>`;
    return `\n${times}\n${before}${rows.map(escapeVtt).join("\n")}\n`;
  });
  return `WEBVTT\n${cues.join("")}`;
}

function escapeVtt(row: string): string {
  return escapeOverrides(row).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** SubRip has no escapes. A word joiner, which is not visible, keeps players from reading tags, entities and the times of a cue. */
function escapeSrt(row: string): string {
  return escapeOverrides(row)
    .replace(/<(?=[ /]*\w)/g, "<\u2060")
    .replace(/&(?=#?\w+;)/g, "&\u2060")
    .replaceAll("-->", "--\u2060>");
}
