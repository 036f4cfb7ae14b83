import { describe, expect, it } from "vitest";
import { keepOrder } from "./keep-order.ts";

const at = (startSeconds: number, weight = 1) => ({ startSeconds, weight });

describe("keepOrder", () => {
  it("[Z3] keeps words in order, with those that were not found between them", () => {
    expect(keepOrder([at(1), undefined, at(2), at(2), at(5)])).toEqual([true, false, true, true, true]);
    expect(keepOrder([])).toEqual([]);
  });

  it("[Z3] leaves out a word that contradicts its neighbours, not the neighbours", () => {
    expect(keepOrder([at(1), at(109), at(2), at(3)])).toEqual([true, false, true, true]);
    expect(keepOrder([at(10), at(11), at(2), at(12)])).toEqual([true, true, false, true]);
  });

  it("[Z3] prefers what weighs more", () => {
    expect(keepOrder([at(7, 5), at(1), at(2)])).toEqual([true, false, false]);
    expect(keepOrder([at(7, 2), at(1, 2), at(2, 2)])).toEqual([false, true, true]);
  });
});
