import type { Readable } from "node:stream";
import { type MediaReport, mediaReportSchema } from "./media-request.ts";

/** Far longer than any report. A child that was taken over by a file may send anything. */
const MAX_CHARS = 1 << 20;

/** Calls back for each report of a media child; `onNonsense` is called once for an invalid one, and nothing after it. */
export function readReports(
  channel: Readable,
  onReport: (report: MediaReport) => void,
  onNonsense: () => void,
): void {
  let pending = "";
  channel.setEncoding("utf8");
  channel.on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    const reports = pending.length > MAX_CHARS ? undefined : parseReports(lines);
    if (reports) return reports.forEach(onReport);
    channel.destroy();
    onNonsense();
  });
}

function parseReports(lines: readonly string[]): MediaReport[] | undefined {
  try {
    return lines.map((line) => mediaReportSchema.parse(JSON.parse(line)));
  } catch {
    return undefined;
  }
}
