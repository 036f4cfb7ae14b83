import { expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { clusterEmbeddings, type ExpectedVoices } from "./cluster-embeddings.ts";
import { type EmbeddedSegment, toUnit } from "./embedded-segment.ts";
import { labelClusters } from "./label-clusters.ts";

const DIMENSIONS = 128;
const random = makeSeededRandom(11);
/** Roughly Gaussian. */
const makeNoise = () =>
  toUnit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5));
const common = makeNoise();
const add = (...parts: readonly (readonly [number, Float32Array])[]) =>
  toUnit(common.map((_, n) => parts.reduce((sum, [share, part]) => sum + share * part[n]!, 0)));
/** Like real embeddings: segments of one speaker have a similarity of 0.5, those of two speakers 0.1, because they share the recording. */
const makePerson = () => add([Math.sqrt(0.2), common], [Math.sqrt(0.8), makeNoise()]);
const toEmbedding = (speaker: Float32Array) => add([Math.SQRT1_2, speaker], [Math.SQRT1_2, makeNoise()]);

type Turn = { speaker: Float32Array; seconds?: number };
type Judge = (a: Float32Array, b: Float32Array) => boolean;

/** Consecutive segments, half a second apart. Windows share two segments on either side, and link them correctly if the judge is right. */
function talk(turns: readonly Turn[], isOne: Judge = (a, b) => a === b): EmbeddedSegment[] {
  let from = 0;
  return turns.map(({ speaker, seconds = 2.5 }, index) => {
    const near = [index - 2, index - 1, index + 1, index + 2].filter((n) => turns[n] !== undefined);
    const links = new Map(near.map((n) => [n, isOne(speaker, turns[n]!.speaker) ? 1 : -1]));
    const segment = { from, to: from + 50 * seconds, seconds, embedding: toEmbedding(speaker), links };
    from = segment.to + 25;
    return segment;
  });
}
const count = (turns: readonly Turn[], expected: ExpectedVoices = {}) =>
  clusterEmbeddings(talk(turns), { expected, voicesMax: 8 }).length;
const takeTurns = (speakers: readonly Float32Array[], turns = 30): Turn[] =>
  Array.from({ length: turns }, (_, turn) => ({ speaker: speakers[turn % speakers.length]! }));
const makePeople = (wanted: number) => Array.from({ length: wanted }, makePerson);

it("[VO2] counts people and numbers them in the order they first speak", () => {
  for (const wanted of [1, 2, 3, 4, 6]) {
    const segments = talk(takeTurns(makePeople(wanted)));
    const speakers = clusterEmbeddings(segments, { expected: {}, voicesMax: 8 });
    expect(speakers).toHaveLength(wanted);
    expect(labelClusters(segments, speakers)).toEqual(segments.map((_, turn) => turn % wanted));
  }
});

it("[VO2] ten minutes have as many people as one", () => {
  for (const wanted of [1, 2, 3]) {
    const speakers = makePeople(wanted);
    expect(count(takeTurns(speakers, 24))).toBe(wanted);
    expect(count(takeTurns(speakers, 240))).toBe(wanted);
  }
});

it("[VO2] two similar people stay two, though odd seconds of others join theirs after them", () => {
  const counts = Array.from({ length: 20 }, () => {
    const [a, c, d] = makePeople(3) as [Float32Array, Float32Array, Float32Array];
    const b = add([1, a], [0.4, makeNoise()]);
    const [oddC, oddD] = [c, d].map((speaker) => add([1, speaker], [1.2, makeNoise()]));
    const nameOf = (speaker: Float32Array) => (speaker === oddC ? c : speaker === oddD ? d : speaker);
    const turns = takeTurns([a, c], 24).concat(takeTurns([b, d], 24));
    for (const at of [6, 14]) turns.splice(at, 0, { speaker: oddC!, seconds: 1.2 });
    for (const at of [32, 40]) turns.splice(at, 0, { speaker: oddD!, seconds: 1.2 });
    const segments = talk(turns, (one, other) => nameOf(one) === nameOf(other));
    return clusterEmbeddings(segments, { expected: {}, voicesMax: 8 }).length;
  });
  expect(counts.filter((speakers) => speakers === 4).length).toBe(20);
});

it("[VO2] people who say too little are not counted, and no speech means nobody", () => {
  const [a, b, short] = makePeople(3) as [Float32Array, Float32Array, Float32Array];
  const turns = takeTurns([a, b], 20).toSpliced(9, 0, { speaker: short, seconds: 1.2 });
  expect(count(turns)).toBe(2);
  expect(count([])).toBe(0);
  expect(count([{ speaker: a }])).toBe(1);
});

it("[VO2] finds the given number of people, and never more than the maximum", () => {
  const speakers = makePeople(4);
  expect(count(takeTurns(speakers), { voiceCount: 2 })).toBe(2);
  expect(count(takeTurns(speakers), { voiceCount: 4 })).toBe(4);
  expect(clusterEmbeddings(talk(takeTurns(speakers)), { expected: {}, voicesMax: 3 })).toHaveLength(3);
  expect(count(takeTurns(speakers.slice(0, 1), 3), { voiceCount: 5 })).toBe(3);
});

it("[VO2] a few odd seconds are not a person at the cost of two similar ones, if the number is given", () => {
  const a = makePerson();
  const b = add([1, a], [0.75, makeNoise()]);
  const odd = makePerson();
  const turns = takeTurns([a, b], 60).toSpliced(20, 0, { speaker: odd }, { speaker: odd });
  for (const voiceCount of [2, "pair"] as const) {
    const segments = talk(turns);
    const speakers = clusterEmbeddings(segments, { expected: { voiceCount }, voicesMax: 8 });
    const names = labelClusters(segments, speakers).filter((_, index) => turns[index]?.speaker !== odd);
    expect(names).toEqual(names.map((_, index) => index % 2));
  }
});

it("[VO2] an expected pair is found, unless only one person speaks", () => {
  expect(count(takeTurns(makePeople(2)), { voiceCount: "pair" })).toBe(2);
  expect(count(takeTurns(makePeople(4)), { voiceCount: "pair" })).toBe(2);
  expect(count(takeTurns(makePeople(1)), { voiceCount: "pair" })).toBe(1);
});

it("[VO2] segments that windows put in different places separate two similar voices", () => {
  const a = makePerson();
  const turns = takeTurns([a, add([1, a], [0.5, makeNoise()])], 24);
  const countJudged = (isOne?: Judge) =>
    clusterEmbeddings(talk(turns, isOne), { expected: {}, voicesMax: 8 }).length;
  expect(countJudged(() => true)).toBe(1);
  expect(countJudged()).toBe(2);
});
