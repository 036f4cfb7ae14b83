import { EngineError } from "../engine-error.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { StemPass } from "../targets/plan-targets.ts";
import { toSystemError } from "../targets/to-engine-error.ts";
import type { SpoolFacts } from "./pass-spools.ts";
import { offerSpans } from "./spans/offer-spans.ts";
import type { PassSpans } from "./spans/segment-range.ts";
import type { SpanExchange } from "./spans/span-exchange.ts";
import { runStemPass, type StemPassRun } from "./stem-pass.ts";
import { WriteProgress } from "./write-progress.ts";

type Sharing = { exchange: SpanExchange | undefined; spansFromSeconds: number };

/**
 * Runs the passes in order; a pass that reads another's stem runs right behind it, at the same time. Settles once all of them have settled. Returns the
 * networks that failed: a target may need several passes of its network, so later passes of a failed one are not started.
 */
export async function runStemPasses(
  run: StemPassRun & {
    makePassStage: (pass: StemPass) => (fraction: number) => void;
  },
  passes: readonly StemPass[],
  sharing: Sharing,
): Promise<ReadonlyMap<StemManifest, EngineError>> {
  const spans = await findSpans(run, passes, sharing);
  const failures = new Map<StemManifest, EngineError>();
  const gauges = new Map(passes.map((pass) => [pass, new WriteProgress()]));
  const renderings: Promise<void>[] = [];
  const runPass = async (pass: StemPass) => {
    const own = gauges.get(pass) ?? new WriteProgress();
    const readPass = pass.reads && gauges.get(pass.reads.pass);
    const onProgress = run.makePassStage(pass);
    const known = failures.get(pass.manifest);
    const targets = pass.targets.map(({ target }) => target);
    const failure = await run.outcomes.tryNetwork(targets, async () => {
      try {
        if (known) throw known;
        const { rendering } = await runStemPass(run, pass, {
          ...{ own, readPass, onProgress },
          spans: spans.get(pass),
        });
        // Awaited below, possibly after it has failed.
        rendering.catch(() => {});
        renderings.push(rendering);
      } catch (error) {
        own.fail(error);
        throw error;
      }
    });
    if (failure) failures.set(pass.manifest, failure);
    // A failed pass has nothing left to do either.
    onProgress(1);
  };
  const runWithReaders = async (pass: StemPass): Promise<void> => {
    const readers = passes.filter(({ reads }) => reads?.pass === pass);
    await allSettled([runPass(pass), ...readers.map(runWithReaders)]);
  };
  try {
    for (const pass of passes) if (pass.reads === undefined) await runWithReaders(pass);
  } finally {
    await Promise.allSettled(renderings);
  }
  await Promise.all(renderings);
  return failures;
}

/** No spans if a network fails to load: its own pass reports that. */
async function findSpans(
  run: SpoolFacts,
  passes: readonly StemPass[],
  sharing: Sharing,
): Promise<ReadonlyMap<StemPass, PassSpans>> {
  try {
    return await offerSpans(run, passes, sharing);
  } catch (error) {
    if (!(toSystemError(error) instanceof EngineError)) throw error;
    return new Map();
  }
}

/** Waits for all, then rejects with the first failure in the list. */
async function allSettled(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}
