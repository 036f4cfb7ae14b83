import { expect, it } from "vitest";
import { MergeTree } from "./merge-tree.ts";

/** Merges of groups 0 to 4, in this order: two speakers (0 and 1); a third and a short group (2 and 3); another short group (4) with the two; all of them. */
function merge(odds: [speakers: number, thirdAndShort: number, peopleAndShort: number, last: number]) {
  const tree = new MergeTree();
  tree.add({ kept: [0], gone: [1] }, odds[0]);
  tree.add({ kept: [2], gone: [3] }, odds[1]);
  tree.add({ kept: [0, 1], gone: [4] }, odds[2]);
  tree.add({ kept: [0, 1, 4], gone: [2, 3] }, odds[3]);
  return tree.findBest();
}

it("[VO2] two people stay two if merges after theirs are right", () => {
  expect(merge([-3, 4, -5, -6])).toEqual({ groups: [[0], [1], [4], [2, 3]], evidence: 4 });
});

it("[VO2] an improbable merge is made if those that build on it outweigh it", () => {
  expect(merge([-3, 4, 5, -6])).toEqual({
    groups: [
      [0, 1, 4],
      [2, 3],
    ],
    evidence: 6,
  });
  expect(merge([-3, -4, -5, 13])).toEqual({ groups: [[0, 1, 4, 2, 3]], evidence: 1 });
});

it("[VO2] a probable merge is not made if it builds on one that outweighs it", () => {
  expect(merge([-3, 4, 2, -6])).toEqual({ groups: [[0], [1], [4], [2, 3]], evidence: 4 });
});

it("[VO2] nothing merged has no division", () => {
  expect(new MergeTree().findBest()).toBeUndefined();
});
