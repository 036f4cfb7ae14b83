import type { PlayablePreviews } from "./preview-source.ts";

/** The mixer settings of a track. */
export type TrackMix = { gainDb: number; pan: number; isMuted: boolean; isSolo: boolean };
/** By the track's id. */
export type Mix = Readonly<Record<string, TrackMix>>;

export const INPUT_TRACK = "input";
export const UNTOUCHED: TrackMix = { gainDb: 0, pan: 0, isMuted: false, isSolo: false };

type Tracks = Pick<PlayablePreviews, "tracks" | "mix">;

/** Starts with the tracks the service names, since no sound is in two of them; from one that names none, with the stems instead of the input. */
export function makeMix({ tracks, mix }: Tracks): Mix {
  const isPlaying = (id: string) =>
    mix ? mix.tracks.includes(id) : tracks.length === 1 || id !== INPUT_TRACK;
  return Object.fromEntries(tracks.map(({ id }) => [id, { ...UNTOUCHED, isMuted: !isPlaying(id) }]));
}

const isSameMix = (a: Mix, b: Mix) => JSON.stringify(a) === JSON.stringify(b);

/** Adds new tracks to the mix: voices appear once all of them are separated. What somebody has changed stays. */
export function extendMix(mix: Mix, { before, now }: { before: Tracks; now: Tracks }): Mix {
  return isSameMix(mix, makeMix(before)) ? makeMix(now) : { ...makeMix(now), ...mix };
}

export const toGain = (gainDb: number) => 10 ** (gainDb / 20);

/** The linear gain of a track. */
export function findGain(mix: Mix, id: string): number {
  const track = mix[id];
  if (!track) return 0;
  const hasSolo = Object.values(mix).some(({ isSolo }) => isSolo);
  const isHeard = hasSolo ? track.isSolo : !track.isMuted;
  return isHeard ? toGain(track.gainDb) : 0;
}

/** Stems that add up to the input: a target and its residual, vocals and instrumental, or those the service names; none if nothing does. */
export function listNullSet({ tracks, mix }: Tracks): readonly string[] {
  const find = (name: string) => tracks.find((track) => track.name === name)?.id;
  const residual = tracks.find(({ name }) => name.endsWith("_residual"));
  if (residual) return tracks.filter(({ targetId }) => targetId === residual.targetId).map(({ id }) => id);
  const [vocals, instrumental] = [find("vocals"), find("instrumental")];
  if (vocals !== undefined && instrumental !== undefined) return [vocals, instrumental];
  if (mix) return mix.isWhole ? mix.tracks : [];
  return tracks.filter(({ id }) => id !== INPUT_TRACK).map(({ id }) => id);
}

/** Gains for the null test: the stems minus the input. */
export const makeNullGains = (previews: Tracks): Record<string, number> => {
  const stems = listNullSet(previews);
  return Object.fromEntries(
    previews.tracks.map(({ id }) => [id, id === INPUT_TRACK ? -1 : stems.includes(id) ? 1 : 0]),
  );
};
