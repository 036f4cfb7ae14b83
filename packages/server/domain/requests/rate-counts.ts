/** Request counts by key or address, shared by all processes. */
export interface RateCounts {
  /** Adds to several counts; returns the new totals, including ours, and the time left in their windows. An expired window starts again. */
  add(
    asks: ReadonlyMap<string, number>,
    windowMs: number,
  ): Promise<ReadonlyMap<string, { total: number; msLeft: number }>>;
}
