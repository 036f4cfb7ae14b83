import { findSimilarity, type HeardStretch, sumUp, toUnit } from "./heard-stretch.ts";
import { mergeGroups } from "./merge-groups.ts";
import { MergeOdds, weigh } from "./merge-odds.ts";

/** Shorter stretches are heard too badly to count by, where there are others. */
const SHORTEST_SECONDS = 1;
const FEWEST_STRETCHES = 4;
/** From as many groups on as this, each merge is looked at. */
const FIRST_GROUPS = 16;
/** How much of the recording's mean, which has the room and the line in it, is taken off before groups are compared. */
const CENTRED_SHARE = 0.5;
/** How much more alike stretches are for the merging if windows say that they are one person's. */
const LINK_SHARE = 0.1;
/** Anyone who speaks alone less than this, or than a share of all, is not a separate person. */
const LEAST_SECONDS = 2;
const LEAST_SHARE = 0.05;

/** What to expect: a number of people, or two unless it is plainly one. */
export type ExpectedVoices = { voiceCount?: number | "pair" };

type State = { groups: number[][]; evidence: number };

/**
 * Which stretches are one person's, for each person those that tell. Groups become one, the most alike first; the number of people is where the odds for
 * all merges before and against all merges behind are best.
 */
export function groupPeople(
  stretches: readonly HeardStretch[],
  { expected, voicesMax }: { expected: ExpectedVoices; voicesMax: number },
): number[][] {
  const picked = pickClear(stretches);
  const states = listStates(picked.map((index) => relink(stretches[index]!, picked)));
  const chosen = chooseState(states, expected);
  const secondsOf = (group: readonly number[]) =>
    group.reduce((sum, index) => sum + stretches[index]!.seconds, 0);
  return (chosen?.groups ?? [])
    .map((group) => group.map((n) => picked[n]!))
    .sort((a, b) => secondsOf(b) - secondsOf(a))
    .slice(0, voicesMax);
}

function pickClear(stretches: readonly HeardStretch[]): number[] {
  const all = [...stretches.keys()];
  const clear = all.filter((index) => stretches[index]!.seconds >= SHORTEST_SECONDS);
  return clear.length >= FEWEST_STRETCHES ? clear : all;
}

/** With links to those that were picked, by their new numbers. */
function relink(stretch: HeardStretch, picked: readonly number[]): HeardStretch {
  const links = new Map(
    picked.flatMap((index, n) => (stretch.links.has(index) ? [[n, stretch.links.get(index)!] as const] : [])),
  );
  return { ...stretch, links };
}

/** People as they are before each of the last merges and after all of them, and the evidence for having come this far. */
function listStates(stretches: readonly HeardStretch[]): State[] {
  if (stretches.length === 0) return [];
  const total = stretches.reduce((sum, { seconds }) => sum + seconds, 0);
  const least = Math.min(LEAST_SECONDS, LEAST_SHARE * total);
  const secondsOf = (group: readonly number[]) =>
    group.reduce((sum, index) => sum + stretches[index]!.seconds, 0);
  const keepLasting = (groups: number[][]) => {
    const lasting = groups.filter((group) => secondsOf(group) >= least);
    return lasting.length > 0 ? lasting : groups.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, 1);
  };
  const centred = takeOffMean(stretches);
  const odds = new MergeOdds(stretches);
  const states: State[] = [];
  let [left, evidence] = [stretches.length, 0];
  mergeGroups(
    stretches.map(weigh),
    (a, b) => findSimilarity(centred[a]!, centred[b]!) + LINK_SHARE * (stretches[a]!.links.get(b) ?? 0),
    (merge, groups) => {
      if (left <= FIRST_GROUPS) {
        states.push({ groups: keepLasting(groups()), evidence });
        evidence += odds.find(merge);
      }
      left -= 1;
    },
  );
  states.push({ groups: [[...stretches.keys()]], evidence });
  return states;
}

function takeOffMean(stretches: readonly HeardStretch[]): Float32Array[] {
  const embeddings = stretches.map(({ embedding }) => embedding);
  const mean = sumUp(
    embeddings,
    embeddings.map(() => CENTRED_SHARE / embeddings.length),
  );
  return embeddings.map((embedding) => toUnit(embedding.map((value, n) => value - mean[n]!)));
}

function chooseState(states: readonly State[], { voiceCount }: ExpectedVoices): State | undefined {
  const best = (some: readonly State[]) =>
    some.reduce<State | undefined>(
      (most, state) => (most && most.evidence >= state.evidence ? most : state),
      undefined,
    );
  if (voiceCount === undefined) return best(states);
  const last = states.at(-1);
  const wanted = voiceCount === "pair" ? 2 : voiceCount;
  const found = states.findLast(({ groups }) => groups.length === wanted) ?? findNearest(states, wanted);
  if (voiceCount === "pair" && last && found && last.evidence > found.evidence) return last;
  return found;
}

/** Where there are never as many: the state with the next fewer, or the next more. */
function findNearest(states: readonly State[], wanted: number): State | undefined {
  const off = ({ groups }: State) => Math.abs(groups.length - wanted);
  return states.toSorted((a, b) => off(a) - off(b))[0];
}
