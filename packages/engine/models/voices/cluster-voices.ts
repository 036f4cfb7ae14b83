/** Somebody heard within one window, not yet known from other windows. */
export type LocalVoice = {
  window: number;
  /** Of unit length; alike for the same person. */
  embedding: Float32Array;
  /** How much of the voice was heard alone: what the embedding stands on. */
  speechSeconds: number;
};

export type ClusterRules = {
  /** Groups whose mean similarity (cosine) is below this are different people. */
  leastSimilarity: number;
  /** An embedding of less speech than this decides nothing about how many people there are. */
  reliableSeconds: number;
  /** A group that speaks less than this in all is no person of its own. */
  leastSpeechSeconds: number;
  voicesMax: number;
  /** How many people there are, where that is known. */
  voiceCount?: number;
};

/**
 * Who is who across windows: for each local voice the number of its person, 0 for the first one heard. Two voices of one
 * window are never the same person, so they are never merged, however alike they sound.
 */
export function clusterVoices(voices: readonly LocalVoice[], rules: ClusterRules): number[] {
  const reliable = voices.filter(({ speechSeconds }) => speechSeconds >= rules.reliableSeconds);
  const grouped = mergeGroups(reliable.length > 0 ? reliable : voices, rules);
  const centroids = grouped.map(toCentroid);
  if (centroids.length === 0) return [];
  return numberByFirstHeard(assignWindows(voices, centroids));
}

type Group = { members: LocalVoice[]; windows: Set<number> };

/** Average linkage: the two most similar groups become one until none are similar enough. */
function mergeGroups(voices: readonly LocalVoice[], rules: ClusterRules): LocalVoice[][] {
  const groups: (Group | undefined)[] = voices.map((voice) => ({
    members: [voice],
    windows: new Set([voice.window]),
  }));
  const similarities = new SimilarityTable(voices);
  const wanted = rules.voiceCount;
  for (let left = groups.length; left > (wanted ?? 1); left--) {
    const pair = similarities.findBest((a, b) => mayMerge(groups[a], groups[b]));
    if (pair === undefined) break;
    if (wanted === undefined && pair.similarity < rules.leastSimilarity && left <= rules.voicesMax) break;
    const [kept, gone] = [groups[pair.a]!, groups[pair.b]!];
    similarities.merge(pair, { keptSize: kept.members.length, goneSize: gone.members.length });
    kept.members.push(...gone.members);
    for (const window of gone.windows) kept.windows.add(window);
    groups[pair.b] = undefined;
  }
  const found = groups.filter((group) => group !== undefined).map(({ members }) => members);
  const speech = (members: LocalVoice[]) => members.reduce((sum, voice) => sum + voice.speechSeconds, 0);
  const bySpeech = found.toSorted((a, b) => speech(b) - speech(a));
  const lasting = bySpeech.filter(
    (members, index) => index === 0 || wanted !== undefined || speech(members) >= rules.leastSpeechSeconds,
  );
  return lasting.slice(0, wanted ?? rules.voicesMax);
}

function mayMerge(a: Group | undefined, b: Group | undefined): boolean {
  return a !== undefined && b !== undefined && ![...a.windows].some((window) => b.windows.has(window));
}

/** Mean similarities between groups. An hour has some 1,500 local voices: reading the whole table for each merge takes two seconds in all. */
class SimilarityTable {
  readonly #count: number;
  readonly #values: Float32Array;
  readonly #gone: Uint8Array;

  constructor(voices: readonly LocalVoice[]) {
    this.#count = voices.length;
    this.#values = new Float32Array(voices.length ** 2);
    this.#gone = new Uint8Array(voices.length);
    for (let a = 0; a < voices.length; a++) {
      for (let b = 0; b < a; b++) {
        const value = findSimilarity(voices[a]!.embedding, voices[b]!.embedding);
        this.#values[a * this.#count + b] = value;
        this.#values[b * this.#count + a] = value;
      }
    }
  }

  findBest(
    isAllowed: (a: number, b: number) => boolean,
  ): { a: number; b: number; similarity: number } | undefined {
    let best: { a: number; b: number; similarity: number } | undefined;
    for (let a = 0; a < this.#count; a++) {
      if (this.#gone[a]) continue;
      for (let b = a + 1; b < this.#count; b++) {
        const similarity = this.#values[a * this.#count + b]!;
        if (this.#gone[b] || similarity <= (best?.similarity ?? Number.NEGATIVE_INFINITY)) continue;
        if (isAllowed(a, b)) best = { a, b, similarity };
      }
    }
    return best;
  }

  merge({ a, b }: { a: number; b: number }, sizes: { keptSize: number; goneSize: number }): void {
    const share = sizes.goneSize / (sizes.keptSize + sizes.goneSize);
    for (let other = 0; other < this.#count; other++) {
      if (this.#gone[other] || other === a || other === b) continue;
      const value =
        (1 - share) * this.#values[a * this.#count + other]! + share * this.#values[b * this.#count + other]!;
      this.#values[a * this.#count + other] = value;
      this.#values[other * this.#count + a] = value;
    }
    this.#gone[b] = 1;
  }
}

export function findSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}

function toCentroid(members: readonly LocalVoice[]): Float32Array {
  const sum = new Float32Array(members[0]?.embedding.length ?? 0);
  for (const { embedding, speechSeconds } of members) {
    for (let n = 0; n < sum.length; n++) sum[n]! += embedding[n]! * speechSeconds;
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** In each window the voices go to different people, so that the similarities add up to the most. */
function assignWindows(voices: readonly LocalVoice[], centroids: readonly Float32Array[]): number[] {
  const labels = new Array<number>(voices.length).fill(0);
  const windows = Map.groupBy(voices.keys(), (index) => voices[index]!.window);
  for (const indices of windows.values()) {
    const similarities = indices.map((index) =>
      centroids.map((centroid) => findSimilarity(voices[index]!.embedding, centroid)),
    );
    const chosen = findBestAssignment(similarities);
    indices.forEach((index, n) => {
      labels[index] = chosen[n]!;
    });
  }
  return labels;
}

/** At most a handful of voices and people, so every way is tried. More voices than people share the nearest. */
export function findBestAssignment(similarities: readonly number[][]): number[] {
  const people = similarities[0]?.length ?? 0;
  let best: { chosen: number[]; sum: number } = { chosen: [], sum: Number.NEGATIVE_INFINITY };
  const tryFrom = (chosen: number[], sum: number) => {
    if (chosen.length === similarities.length) {
      if (sum > best.sum) best = { chosen, sum };
      return;
    }
    const isShared = chosen.length >= people;
    for (let person = 0; person < people; person++) {
      if (!isShared && chosen.includes(person)) continue;
      tryFrom([...chosen, person], sum + similarities[chosen.length]![person]!);
    }
  };
  tryFrom([], 0);
  return best.chosen;
}

function numberByFirstHeard(labels: readonly number[]): number[] {
  const order = [...new Set(labels)];
  return labels.map((label) => order.indexOf(label));
}
