/** When something is said. */
export type TimeSpan = { startSeconds: number; endSeconds: number };

/**
 * Gives those without a time one between their neighbours: roughly where they were expected, or an equal share. Keeps all in order and
 * within the audio; where two overlap, the first ends earlier, since starts are more certain than ends.
 */
export function fillTimes(
  spans: readonly (TimeSpan | undefined)[],
  {
    durationSeconds,
    estimated = [],
  }: { durationSeconds: number; estimated?: readonly (TimeSpan | undefined)[] },
): TimeSpan[] {
  const filled: TimeSpan[] = [];
  for (let index = 0; index < spans.length; ) {
    const span = spans[index];
    const last = filled.at(-1);
    if (span !== undefined) {
      const startSeconds = Math.min(Math.max(span.startSeconds, last?.startSeconds ?? 0), durationSeconds);
      if (last) last.endSeconds = Math.min(last.endSeconds, startSeconds);
      const endSeconds = Math.min(Math.max(span.endSeconds, startSeconds), durationSeconds);
      filled.push({ startSeconds, endSeconds });
      index++;
      continue;
    }
    let next = index;
    while (next < spans.length && spans[next] === undefined) next++;
    const from = last?.endSeconds ?? 0;
    const to = Math.max(from, Math.min(spans[next]?.startSeconds ?? durationSeconds, durationSeconds));
    filled.push(...share({ startSeconds: from, endSeconds: to }, estimated.slice(index, next), next - index));
    index = next;
  }
  return filled;
}

/** Spans for this many words: those expected within the time keep their place if they are in order, the others share what is left. */
function share(
  { startSeconds, endSeconds }: TimeSpan,
  estimated: readonly (TimeSpan | undefined)[],
  count: number,
): TimeSpan[] {
  const spans: TimeSpan[] = [];
  let from = startSeconds;
  for (let index = 0; index < count; ) {
    let next = index;
    const isExpected = (place: number) => {
      const span = estimated[place];
      return span !== undefined && span.startSeconds >= from && span.endSeconds <= endSeconds;
    };
    while (next < count && !isExpected(next)) next++;
    const expected = next < count ? estimated[next] : undefined;
    const to = expected?.startSeconds ?? endSeconds;
    // Rounding may end a share a hair behind the neighbour.
    const at = (place: number) => Math.min(to, from + ((to - from) * place) / (next - index));
    for (let part = 0; part < next - index; part++) {
      spans.push({ startSeconds: at(part), endSeconds: at(part + 1) });
    }
    if (expected) spans.push({ ...expected });
    from = expected?.endSeconds ?? endSeconds;
    index = next + 1;
  }
  return spans;
}
