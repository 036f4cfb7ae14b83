import type { MusicRegion } from "../networks/music-detector/music-regions.ts";
import type { DetectionFormat } from "../targets/engine-request.ts";

/** The regions as a file: a JSON array, or tab-separated lines of start, end and confidence. Regions that round to 0 ms are left out. */
export function writeDetection(regions: readonly MusicRegion[], format: DetectionFormat): string {
  const rows = regions
    .map(({ startSeconds, endSeconds, confidence }) => ({
      start_time: roundTo(startSeconds, 3),
      end_time: roundTo(endSeconds, 3),
      confidence: roundTo(confidence, 4),
    }))
    .filter(({ start_time, end_time }) => end_time > start_time);
  if (format === "json") return `${JSON.stringify(rows)}\n`;
  return rows
    .map((row) => `${row.start_time.toFixed(3)}\t${row.end_time.toFixed(3)}\t${row.confidence.toFixed(4)}\n`)
    .join("");
}

function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
