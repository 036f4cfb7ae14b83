import { type EmbeddedSegment, findSimilarity, sumUp, toUnit } from "./embedded-segment.ts";
import { mergeClusters } from "./merge-clusters.ts";
import { MergeOdds, weigh } from "./merge-odds.ts";
import { MergeTree } from "./merge-tree.ts";

/** Shorter segments are too unreliable to count by, if there are longer ones. */
const SHORTEST_SECONDS = 1;
const FEWEST_SEGMENTS = 4;
/** Merges are evaluated from this number of groups down. */
const FIRST_GROUPS = 16;
/** Share of the recording's mean embedding, which captures room and line, that is subtracted before groups are compared. */
const CENTRED_SHARE = 0.5;
/** How much a window's link raises the similarity of two segments for clustering. */
const LINK_SHARE = 0.5;
/** Anyone who speaks alone for less than this, or for less than a share of the total, is not counted as a speaker. */
const MIN_SECONDS = 2;
const MIN_SHARE = 0.05;
/**
 * Speech in the longest of the conversations that the odds are fitted to. Times in a longer recording are scaled down to it: to unscaled ones, two halves of
 * one speaker's ten minutes are two speakers.
 */
const FITTED_SECONDS = 180;

/** If the number of speakers is given, groups beyond it are left out if together they have at most this share of the speech. */
const MAX_LEFT_OUT = 0.05;

/** The expected number of speakers; `pair` means two unless there is clearly one. */
export type ExpectedVoices = { voiceCount?: number | "pair" };

/** Groups of segments, the longest first, and their seconds. */
type State = { groups: number[][]; seconds: number[]; evidence: number };

/**
 * Groups segments by speaker; returns each speaker's reliable segments. Agglomerative clustering, most similar groups first; the speakers are the division
 * of the tree of merges that maximises the odds for all merges within it and against all others.
 */
export function clusterEmbeddings(
  segments: readonly EmbeddedSegment[],
  { expected, voicesMax }: { expected: ExpectedVoices; voicesMax: number },
): number[][] {
  const picked = pickClear(segments);
  const states = listStates(picked.map((index) => relink(segments[index]!, picked)));
  const chosen = chooseState(states, expected);
  return (chosen?.groups ?? []).map((group) => group.map((n) => picked[n]!)).slice(0, voicesMax);
}

function pickClear(segments: readonly EmbeddedSegment[]): number[] {
  const all = [...segments.keys()];
  const clear = all.filter((index) => segments[index]!.seconds >= SHORTEST_SECONDS);
  return clear.length >= FEWEST_SEGMENTS ? clear : all;
}

/** Keeps the links to picked segments, renumbered. */
function relink(segment: EmbeddedSegment, picked: readonly number[]): EmbeddedSegment {
  const links = new Map(
    picked.flatMap((index, n) => (segment.links.has(index) ? [[n, segment.links.get(index)!] as const] : [])),
  );
  return { ...segment, links };
}

/** The groups before each of the last merges, the best division of the tree they make, and one group, with the log-odds of each state. */
function listStates(segments: readonly EmbeddedSegment[]): State[] {
  if (segments.length === 0) return [];
  const total = segments.reduce((sum, { seconds }) => sum + seconds, 0);
  const timeScale = Math.min(1, FITTED_SECONDS / total);
  const least = Math.min(MIN_SECONDS / timeScale, MIN_SHARE * total);
  const secondsOf = (group: readonly number[]) =>
    group.reduce((sum, index) => sum + segments[index]!.seconds, 0);
  const keepLasting = (all: number[][]) => {
    const sorted = all
      .map((group) => ({ group, seconds: secondsOf(group) }))
      .sort((a, b) => b.seconds - a.seconds);
    const lasting = sorted.filter(({ seconds }, index) => index === 0 || seconds >= least);
    return { groups: lasting.map(({ group }) => group), seconds: lasting.map(({ seconds }) => seconds) };
  };
  const centred = takeOffMean(segments);
  const odds = new MergeOdds(segments, { timeScale });
  const tree = new MergeTree();
  const states: State[] = [];
  let [left, evidence] = [segments.length, 0];
  mergeClusters(
    segments.map(weigh),
    (a, b) => findSimilarity(centred[a]!, centred[b]!) + LINK_SHARE * (segments[a]!.links.get(b) ?? 0),
    (merge, groups) => {
      if (left <= FIRST_GROUPS) {
        states.push({ ...keepLasting(groups()), evidence });
        const mergeOdds = odds.find(merge);
        tree.add(merge, mergeOdds);
        evidence += mergeOdds;
      }
      left -= 1;
    },
  );
  const best = tree.findBest();
  if (best) states.push({ ...keepLasting(best.groups), evidence: best.evidence });
  states.push({ groups: [[...segments.keys()]], seconds: [total], evidence });
  return states;
}

function takeOffMean(segments: readonly EmbeddedSegment[]): Float32Array[] {
  const embeddings = segments.map(({ embedding }) => embedding);
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
  const found = best(states.flatMap((state) => keepLongest(state, wanted))) ?? findNearest(states, wanted);
  if (voiceCount === "pair" && last && found && last.evidence > found.evidence) return last;
  return found;
}

/** A state with the wanted number of speakers: it has as many, or what is left out is little. */
function keepLongest({ groups, seconds, evidence }: State, wanted: number): State[] {
  const sum = (some: readonly number[]) => some.reduce((total, value) => total + value, 0);
  if (groups.length < wanted || sum(seconds.slice(wanted)) > MAX_LEFT_OUT * sum(seconds)) return [];
  return [{ groups: groups.slice(0, wanted), seconds: seconds.slice(0, wanted), evidence }];
}

/** If no state has the wanted number: the one with the next fewer, or else the next more. */
function findNearest(states: readonly State[], wanted: number): State | undefined {
  const off = ({ groups }: State) => Math.abs(groups.length - wanted);
  return states.toSorted((a, b) => off(a) - off(b))[0];
}
