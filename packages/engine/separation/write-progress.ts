/** How many frames of a pass are spooled, for readers that follow it. */
export class WriteProgress {
  /** Negative until the spools exist. */
  #lengthFrames = -1;
  #failure: { reason: unknown } | undefined;
  #waiting: { lengthFrames: number; resolve: () => void; reject: (reason: unknown) => void }[] = [];

  /** Resolves when there are that many frames; rejects if the pass has failed. */
  async reached(lengthFrames: number): Promise<void> {
    if (this.#lengthFrames >= lengthFrames) return;
    if (this.#failure) throw this.#failure.reason;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ lengthFrames, resolve, reject });
    return promise;
  }

  rise(lengthFrames: number): void {
    this.#lengthFrames = Math.max(this.#lengthFrames, lengthFrames);
    this.#waiting = this.#waiting.filter((waiter) => {
      const isOver = waiter.lengthFrames <= this.#lengthFrames;
      if (isOver) waiter.resolve();
      return !isOver;
    });
  }

  fail(reason: unknown): void {
    this.#failure = { reason };
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}
