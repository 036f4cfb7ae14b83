/** Requests by key or address, as all processes together count them. */
export interface RateCounts {
  /**
   * Adds to several counts; returns the new totals, ours included, and the time left of their windows. An expired window starts
   * again.
   */
  add(
    asks: ReadonlyMap<string, number>,
    windowMs: number,
  ): Promise<ReadonlyMap<string, { total: number; msLeft: number }>>;
}
