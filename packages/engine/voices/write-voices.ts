export type VoiceSegment = { startSeconds: number; endSeconds: number; confidence: number };

/** Who speaks when, as JSON: for each voice the name of its file and its segments. */
export function writeVoices(voices: readonly { name: string; segments: readonly VoiceSegment[] }[]): string {
  const rows = voices.map(({ name, segments }) => ({
    name,
    segments: segments.map(({ startSeconds, endSeconds, confidence }) => ({
      start: roundTo(startSeconds, 3),
      end: roundTo(endSeconds, 3),
      confidence: roundTo(confidence, 4),
    })),
  }));
  return `${JSON.stringify({ voices: rows })}\n`;
}

function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
