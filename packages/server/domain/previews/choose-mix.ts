import type { TaskPreviews } from "@stemwright/contract";

/** A track's sound as some parts of a whole; tracks of different wholes can't be compared, and may share anything. */
export type TrackSound = { id: string; parts: readonly string[]; whole: readonly string[] };

type Best = { covered: number; tracks: readonly TrackSound[] };

/**
 * The tracks a player starts with: no sound is in two of them. They are the ones that add up to the input, the finer of several such sets, or cover the
 * most of it.
 */
export function chooseMix(tracks: readonly TrackSound[]): NonNullable<TaskPreviews["mix"]> {
  const wholes = Map.groupBy(tracks, ({ whole }) => whole.toSorted().join());
  const [best] = [...wholes.values()]
    .map((theirs) => {
      const found = coverMost(theirs);
      return { ...found, share: found.covered / Math.max(1, theirs[0]?.whole.length ?? 0) };
    })
    // Stable: of equal ones the first target's.
    .toSorted((a, b) => b.share - a.share);
  const chosen = new Set(best?.tracks.map(({ id }) => id));
  return {
    tracks: tracks.map(({ id }) => id).filter((id) => chosen.has(id)),
    isWhole: best?.share === 1,
  };
}

/** The disjoint tracks with the most parts; of equal ones the most tracks. */
function coverMost(tracks: readonly TrackSound[]): Best {
  const order = tracks[0]?.whole ?? [];
  const known = new Map<string, Best>();
  const search = (from: number, used: ReadonlySet<string>): Best => {
    const next = order.findIndex((part, n) => n >= from && !used.has(part));
    if (next < 0) return { covered: 0, tracks: [] };
    const key = `${next} ${order.filter((part) => used.has(part)).join()}`;
    const cached = known.get(key);
    if (cached) return cached;
    const part = order[next] ?? "";
    let best: Best = { covered: 0, tracks: [] };
    for (const track of tracks) {
      // Its first part is this one: each set is tried once.
      if (!track.parts.includes(part) || track.parts.some((each) => used.has(each))) continue;
      if (order.find((each) => track.parts.includes(each)) !== part) continue;
      const rest = search(next + 1, new Set([...used, ...track.parts]));
      const found = { covered: rest.covered + track.parts.length, tracks: [track, ...rest.tracks] };
      if (isBetter(found, best)) best = found;
    }
    // Without this part less can be covered: not tried where all of them are, or there would be a case for each subset of the parts.
    if (best.covered < order.length - used.size) {
      const without = search(next + 1, used);
      if (isBetter(without, best)) best = without;
    }
    known.set(key, best);
    return best;
  };
  return search(0, new Set());
}

const isBetter = (a: Best, b: Best) =>
  a.covered > b.covered || (a.covered === b.covered && a.tracks.length > b.tracks.length);

/** The tracks of the mix that already have some of this one's sound. */
export function listSharing(track: TrackSound, mix: readonly TrackSound[]): string[] {
  const isSameWhole = (other: TrackSound) =>
    other.whole.length === track.whole.length && other.whole.every((part) => track.whole.includes(part));
  return mix
    .filter((other) => !isSameWhole(other) || other.parts.some((part) => track.parts.includes(part)))
    .map(({ id }) => id);
}
