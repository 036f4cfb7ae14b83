/** Processes the items in order, at most `count` at a time. After a failure, rejects once the ones in progress have settled. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const takeTurns = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => {
        rest.length = 0;
        throw error;
      });
    }
  };
  const turns = await Promise.allSettled(Array.from({ length: count }, takeTurns));
  for (const turn of turns) if (turn.status === "rejected") throw turn.reason;
}
