/**
 * Makes one item for each number from `from` up to `to`, and takes them in order. Each is started before the previous one is taken, so two
 * are in progress; rejects with the first failure.
 */
export async function forEachAhead<Made>(
  { from, to }: { from: number; to: number },
  make: (index: number) => Promise<Made>,
  take: (made: Made, index: number) => void,
): Promise<void> {
  const begin = (index: number) => {
    const making = make(index);
    // It is awaited when its turn comes, which may be after it has failed.
    making.catch(() => {});
    return making;
  };
  let ahead = from < to ? begin(from) : undefined;
  for (let index = from; ahead !== undefined; index++) {
    const current = ahead;
    ahead = index + 1 < to ? begin(index + 1) : undefined;
    take(await current, index);
  }
}
