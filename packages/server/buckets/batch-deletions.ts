/** S3's limit per request. */
const MAX_BATCH = 1000;

type Waiting = { key: string; resolve(): void; reject(error: unknown): void };

/**
 * Batches deletions that are requested at about the same time: those that arrive during a request go into the next one. Each caller gets the result for its
 * own object.
 */
export function batchDeletions(
  /** Returns failures by key; throws if the whole request failed. */
  deleteMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, Error>>,
): (key: string) => Promise<void> {
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function deleteBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const failures = await deleteMany(batch.map(({ key }) => key));
      for (const { key, resolve, reject } of batch) {
        const failure = failures.get(key);
        if (failure) reject(failure);
        else resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    // Everything from one page of a listing is queued before the first request is sent.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await deleteBatch(waiting.splice(0, MAX_BATCH));
    isRunning = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isRunning) void run();
    });
}
