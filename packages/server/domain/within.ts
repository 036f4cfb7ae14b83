/** The result of the work, or a `TimeoutError` after the limit. The work itself continues: not everything can be cancelled. */
export async function within<Result>(
  limitMs: number,
  work: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = () => gaveUp.reject(new DOMException(`no answer within ${limitMs} ms`, "TimeoutError"));
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([work, gaveUp.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
