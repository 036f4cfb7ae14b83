export type TimeSpan = { startSeconds: number; endSeconds: number };

/** Gives items without a time an equal share of the time between their neighbours, and keeps all in order and within the audio. */
export function fillTimes(
  spans: readonly (TimeSpan | undefined)[],
  { durationSeconds }: { durationSeconds: number },
): TimeSpan[] {
  const filled: TimeSpan[] = [];
  let endSeconds = 0;
  for (let index = 0; index < spans.length; ) {
    const span = spans[index];
    if (span !== undefined) {
      const startSeconds = Math.min(Math.max(span.startSeconds, endSeconds), durationSeconds);
      endSeconds = Math.min(Math.max(span.endSeconds, startSeconds), durationSeconds);
      filled.push({ startSeconds, endSeconds });
      index++;
      continue;
    }
    let next = index;
    while (next < spans.length && spans[next] === undefined) next++;
    const from = endSeconds;
    const to = Math.max(from, Math.min(spans[next]?.startSeconds ?? durationSeconds, durationSeconds));
    for (let part = 0; part < next - index; part++) {
      // Rounding may put the end of a share slightly past the neighbour.
      const at = (place: number) => Math.min(to, from + ((to - from) * place) / (next - index));
      filled.push({ startSeconds: at(part), endSeconds: at(part + 1) });
    }
    endSeconds = to;
    index = next;
  }
  return filled;
}
