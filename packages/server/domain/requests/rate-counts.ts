/** Requests by key or address, as all processes together count them. */
export interface RateCounts {
  /**
   * Adds to the counts of some; gives what they then are, ours included, and how long their windows still last. One that was
   * over begins anew.
   */
  add(
    asks: ReadonlyMap<string, number>,
    windowMs: number,
  ): Promise<ReadonlyMap<string, { total: number; msLeft: number }>>;
}
