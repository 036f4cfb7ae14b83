import { ApiError, type TaskEstimate, type TaskInput } from "@stemwright/sdk";
import { describeError } from "../../parts/describe-error.ts";

/** An input that is ready, with the name that people know it by. */
export type RunSource = Pick<TaskInput, "assetId" | "url"> & { name: string };

export type FailedSource = { name: string; reason: string };

export type CheckedSources = {
  /** Those that can be run. */
  sources: readonly RunSource[];
  estimates: readonly TaskEstimate[];
  /** Those whose file can't be used; the others run without them. */
  failed: readonly FailedSource[];
};

/** Whether it is the file's fault: other files of a batch are not affected. */
const isOfSource = (error: unknown) => error instanceof ApiError && error.status === 400;

/** Does something with each source in turn; one that is refused is named, and does not stop the others. */
export async function forEachSource<Value>(
  sources: readonly RunSource[],
  run: (source: RunSource) => Promise<Value>,
): Promise<{ values: Value[]; done: RunSource[]; failed: FailedSource[] }> {
  const [values, done, failed]: [Value[], RunSource[], FailedSource[]] = [[], [], []];
  for (const source of sources)
    try {
      values.push(await run(source));
      done.push(source);
    } catch (error) {
      // A single file has the whole message, with what to do about it.
      if (sources.length === 1 || !isOfSource(error)) throw error;
      failed.push({ name: source.name, reason: describeError(error) });
    }
  return { values, done, failed };
}
