/** Seconds as `hh:mm:ss` and milliseconds after the separator: a comma in srt, a dot in vtt. */
export function toClockTime(seconds: number, separator: "," | "."): string {
  const ms = Math.round(seconds * 1000);
  const [hours, minutes, rest] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, ms % 60_000];
  const fields = [hours, minutes, Math.floor(rest / 1000)].map((field) => pad(field, 2));
  return `${fields.join(":")}${separator}${pad(rest % 1000, 3)}`;
}

/** Seconds as `mm:ss.xx`, the form of lrc: an hour and a half is 90 minutes. */
export function toLyricsTime(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const fields = [Math.floor(hundredths / 6000), Math.floor(hundredths / 100) % 60];
  return `${fields.map((field) => pad(field, 2)).join(":")}.${pad(hundredths % 100, 2)}`;
}

/** Seconds as `h:mm:ss.xx`, the form of ASS. */
export function toAssTime(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const fields = [Math.floor(hundredths / 6000) % 60, Math.floor(hundredths / 100) % 60];
  const clock = fields.map((field) => pad(field, 2)).join(":");
  return `${Math.floor(hundredths / 360_000)}:${clock}.${pad(hundredths % 100, 2)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
