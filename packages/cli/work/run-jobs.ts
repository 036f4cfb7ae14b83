import { open, readFile, stat } from "node:fs/promises";
import type { ExitReason } from "../exit-codes.ts";
import { toExitReason } from "../print-error.ts";
import type { Job, Runner } from "./job.ts";
import { isUrl } from "./list-inputs.ts";
import { type PlannedOutput, planOutputPaths } from "./plan-output-paths.ts";
import type { Reporter } from "./reporter.ts";

const COMMENT_AREA_BYTES = 1 << 16;

type RunOptions = {
  getRunner: () => Promise<Runner>;
  reporter: Reporter;
  signal: AbortSignal;
  /** How many inputs are processed at once. */
  atOnce: number;
  force: boolean;
};

/** Runs the jobs; a failed one does not stop the others. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<ExitReason> {
  const queue = [...jobs];
  const failures: unknown[] = [];
  const workOff = async () => {
    for (let job = queue.shift(); job && !options.signal.aborted; job = queue.shift())
      await runJob(job, options).catch((error) => void failures.push(error));
  };
  await Promise.all(Array.from({ length: options.atOnce }, workOff));
  if (options.signal.aborted) return "INTERRUPTED";
  if (failures.length === 0) return "DONE";
  return failures.length < jobs.length ? "PARTLY" : findReason(failures);
}

/** If all failed for the same known reason, that is the exit reason. */
function findReason(failures: readonly unknown[]): ExitReason {
  const reasons = new Set(failures.map(toExitReason));
  const [reason = "FAILED"] = reasons;
  return reasons.size === 1 ? reason : "FAILED";
}

async function runJob(job: Job, { getRunner, reporter, signal, force }: RunOptions): Promise<void> {
  const { input } = job;
  try {
    const known = await completeOutputs(job);
    if (!force && (await areNewer(known, input)) && (await areOfNetwork(known)))
      return reporter.skipped(input, toPaths(known));
    reporter.started(input);
    const runner = await getRunner();
    const outputs = await runner.run(job, {
      signal,
      onProgress: (progress) => reporter.progress(input, progress),
      note: (message) => reporter.note(message),
    });
    reporter.done(input, toPaths(outputs));
  } catch (error) {
    if (!signal.aborted) reporter.failed(input, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

const toPaths = (outputs: readonly PlannedOutput[]) => outputs.map(({ path }) => path);

/** The voices of an earlier run, as listed in its JSON file. */
async function completeOutputs(job: Job): Promise<readonly PlannedOutput[]> {
  const list = job.outputs.find(({ target, format }) => target.kind === "voices" && format === "json");
  if (list === undefined) return job.outputs;
  try {
    const { voices } = JSON.parse(await readFile(list.path, "utf8")) as { voices: unknown[] };
    return planOutputPaths(job, voices.length);
  } catch {
    return job.outputs;
  }
}

/** Stems of another network may have the same names: the engine notes in each file what made it. */
async function areOfNetwork(outputs: readonly PlannedOutput[]): Promise<boolean> {
  const named = outputs.filter(({ target }) => target.network !== undefined);
  if (named.length === 0) return true;
  const made = await Promise.all(
    named.map(({ path, target }) => mentions(path, `; network=${target.network}; `)),
  );
  return made.every(Boolean);
}

/** Comments of audio files are near their start or end. */
async function mentions(path: string, text: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const lengthBytes = Math.min(size, COMMENT_AREA_BYTES);
    for (const position of [0, size - lengthBytes]) {
      const { buffer } = await file.read(Buffer.alloc(lengthBytes), { position });
      if (buffer.includes(text) || buffer.includes(text, 0, "utf16le")) return true;
    }
    return false;
  } finally {
    await file.close();
  }
}

/** All outputs exist, and none is older than the input. */
async function areNewer(outputs: readonly PlannedOutput[], input: string): Promise<boolean> {
  const inputMs = isUrl(input) ? 0 : (await stat(input)).mtimeMs;
  const times = await Promise.all(
    outputs.map(({ path }) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.NEGATIVE_INFINITY,
      ),
    ),
  );
  return times.every((timeMs) => timeMs >= inputMs);
}
