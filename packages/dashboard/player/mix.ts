/** The mixer settings of a track. */
export type TrackMix = { gainDb: number; pan: number; isMuted: boolean; isSolo: boolean };
/** By the track's id. */
export type Mix = Readonly<Record<string, TrackMix>>;

export const INPUT_TRACK = "input";
export const UNTOUCHED: TrackMix = { gainDb: 0, pan: 0, isMuted: false, isSolo: false };

/** The input starts muted: the stems add up to it. */
export const makeMix = (ids: readonly string[]): Mix =>
  Object.fromEntries(ids.map((id) => [id, { ...UNTOUCHED, isMuted: id === INPUT_TRACK && ids.length > 1 }]));

/** Adds new tracks to the mix: voices appear once all of them are separated, and then replace the input like stems. */
export function extendMix(mix: Mix, ids: readonly string[]): Mix {
  const fresh = makeMix(ids);
  const isInputAlone = Object.keys(mix).join() === INPUT_TRACK;
  return isInputAlone ? fresh : { ...fresh, ...mix };
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

type NamedTrack = { id: string; name: string; targetId?: string | undefined };

/** Stems that add up to the input: a target and its residual, vocals and instrumental, or all of them. */
export function listNullSet(tracks: readonly NamedTrack[]): string[] {
  const find = (name: string) => tracks.find((track) => track.name === name)?.id;
  const residual = tracks.find(({ name }) => name.endsWith("_residual"));
  if (residual) return tracks.filter(({ targetId }) => targetId === residual.targetId).map(({ id }) => id);
  const [vocals, instrumental] = [find("vocals"), find("instrumental")];
  if (vocals !== undefined && instrumental !== undefined) return [vocals, instrumental];
  return tracks.filter(({ id }) => id !== INPUT_TRACK).map(({ id }) => id);
}

/** Gains for the null test: the stems minus the input. */
export const makeNullGains = (tracks: readonly NamedTrack[]): Record<string, number> => {
  const stems = listNullSet(tracks);
  return Object.fromEntries(
    tracks.map(({ id }) => [id, id === INPUT_TRACK ? -1 : stems.includes(id) ? 1 : 0]),
  );
};
