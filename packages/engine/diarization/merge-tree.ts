import type { Merge } from "./merge-clusters.ts";

/** Groups, and the log-odds of the merges that made them. */
export type Division = { groups: number[][]; evidence: number };

/** The evidence for all of a branch as one group, and the most probable division of it. */
type Branch = { whole: number; best: Division };

/**
 * Divides a tree of merges where the odds say so, each branch by itself. In the order of merges alone, two speakers who merge before some short groups join
 * theirs would have to become one for those merges to count.
 */
export class MergeTree {
  /** By the group's first member, which stays the same as it grows. */
  readonly #branches = new Map<number, Branch>();
  #top: Branch | undefined;

  add(merge: Merge, odds: number): void {
    const [a, b] = [this.#findBranch(merge.kept), this.#findBranch(merge.gone)];
    const whole = a.whole + b.whole + odds;
    const divided = a.best.evidence + b.best.evidence;
    const best =
      whole > divided
        ? { groups: [[...merge.kept, ...merge.gone]], evidence: whole }
        : { groups: [...a.best.groups, ...b.best.groups], evidence: divided };
    this.#top = { whole, best };
    this.#branches.set(merge.kept[0]!, this.#top);
  }

  /** Once there is one group left; undefined if nothing was merged. */
  findBest(): Division | undefined {
    return this.#top?.best;
  }

  #findBranch(group: readonly number[]): Branch {
    const known = this.#branches.get(group[0]!);
    return known ?? { whole: 0, best: { groups: [[...group]], evidence: 0 } };
  }
}
