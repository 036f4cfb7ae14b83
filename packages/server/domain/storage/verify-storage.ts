import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { StorageStep, StorageVerification } from "@stemwright/contract";
import { makeId } from "../ids.ts";
import { type Bucket, BucketError } from "./bucket.ts";

const TIME_LIMIT_MS = 20_000;
const CONTENT = "Written to see whether this bucket can be written to. It may be deleted.";

type Step = StorageVerification["steps"][number];

/** Not every client library supports cancellation, so the wait is limited here. */
async function tryStep(step: StorageStep, signal: AbortSignal, run: () => Promise<void>): Promise<Step> {
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = () => gaveUp.reject(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    signal.throwIfAborted();
    await Promise.race([run(), gaveUp.promise]);
    return { step, status: "passed" };
  } catch (error) {
    if (signal.aborted)
      return { step, status: "failed", message: `No answer within ${TIME_LIMIT_MS / 1000} s` };
    if (!(error instanceof BucketError)) throw error;
    return { step, status: "failed", message: error.message };
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Does with a small object what Tasks do with large ones, and reports how far it got. */
export async function verifyStorage(open: () => Promise<Bucket>): Promise<StorageVerification> {
  const key = `stemwright-verify-${makeId()}.txt`;
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const steps: Step[] = [];
  const run = async (
    step: StorageStep,
    options: { signal: AbortSignal; needs?: StorageStep },
    use: (bucket: Bucket) => Promise<void>,
  ) => {
    const isMet =
      options.needs === undefined ||
      steps.some((done) => done.step === options.needs && done.status === "passed");
    steps.push(
      isMet
        ? await tryStep(step, options.signal, async () => use(await open()))
        : { step, status: "skipped" },
    );
  };
  await run("list", { signal }, async (bucket) => {
    for await (const _ of bucket.list(key, { signal })) break;
  });
  await run("write", { signal }, (bucket) =>
    bucket.write(key, Readable.from([Buffer.from(CONTENT)]), { type: "text/plain", signal }),
  );
  await run("read", { signal, needs: "write" }, async (bucket) => {
    const { content } = await bucket.read(key, { signal });
    if ((await text(content)) !== CONTENT)
      throw new BucketError("failed", "What was read is not what was written");
  });
  // Clean up even if reading used up the time limit.
  const deleting = { signal: AbortSignal.timeout(TIME_LIMIT_MS) };
  await run("delete", { ...deleting, needs: "write" }, (bucket) => bucket.delete(key, deleting));
  return { ok: steps.every(({ status }) => status === "passed"), steps };
}
