/** What the work gives, or a `TimeoutError` after so long. The work itself goes on: not everything can be told to give up. */
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
