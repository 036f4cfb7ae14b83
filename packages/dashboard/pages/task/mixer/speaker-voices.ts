type Span = { start: number; end: number };
export type Voice = { name: string; segments: readonly Span[] };
export type SpokenLine = Span & { speaker?: string | number | undefined };

function measureOverlap(segments: readonly Span[], { start, end }: Span): number {
  let seconds = 0;
  for (const segment of segments)
    seconds += Math.max(0, Math.min(end, segment.end) - Math.max(start, segment.start));
  return seconds;
}

/** The voice with the longest overlap with these spans. */
function findVoice(voices: readonly Voice[], spans: readonly Span[]): string | undefined {
  const heard = voices.map(({ name, segments }) => ({
    name,
    seconds: spans.reduce((sum, span) => sum + measureOverlap(segments, span), 0),
  }));
  return heard.filter(({ seconds }) => seconds > 0).toSorted((a, b) => b.seconds - a.seconds)[0]?.name;
}

/** Names that people gave to speakers, by the voice that matches each. */
export function nameVoices(
  lines: readonly SpokenLine[],
  toVoice: (line: SpokenLine) => string | undefined,
): Map<string, string> {
  const named = lines.filter(
    ({ speaker }) => speaker !== undefined && !/^(speaker_)?\d+$/.test(`${speaker}`),
  );
  return new Map(named.map((line) => [toVoice(line) ?? "", String(line.speaker)]));
}

/**
 * The voice of each line's speaker, if the Task has voices. Transcripts number their speakers independently, or not at all: a speaker is matched to the
 * voice that overlaps most of what they say.
 */
export function matchVoices(
  lines: readonly SpokenLine[],
  voices: readonly Voice[],
): (line: SpokenLine) => string | undefined {
  const bySpeaker = Map.groupBy(lines, ({ speaker }) => speaker);
  const known = new Map(
    [...bySpeaker].map(([speaker, theirs]) => [speaker, findVoice(voices, theirs) ?? String(speaker)]),
  );
  return (line) => (line.speaker === undefined ? findVoice(voices, [line]) : known.get(line.speaker));
}
