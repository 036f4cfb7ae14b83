import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeGainEngines } from "../../../../test/support/gain-engine.ts";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { openWorkerContext, type WorkerContext } from "../../../../test/support/worker-context.ts";

const SEGMENT_FRAMES = 4000;
const SONG = { sampleRateHz: 44_100, lengthFrames: 61_234 };
const FROM_SECONDS = 0.65;
const CHILD = join(import.meta.dirname, "../../../../test/support/span-worker-child.ts");

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
  await context.addClient();
  await context.storeSong(SONG);
});
afterEach(() => context.closeWorkers());
afterAll(() => context.close());

type BeforeSegment = NonNullable<Parameters<typeof makeGainEngines>[0]["beforeSegment"]>;
async function startWorker(workDir: string, beforeSegment: BeforeSegment = async () => {}) {
  const { run, runSpan, segments } = makeGainEngines({ beforeSegment, segmentFrames: SEGMENT_FRAMES });
  const worker = await context.startWorker(run, { workDir, spans: { fromSeconds: FROM_SECONDS, runSpan } });
  return { ...worker, segments };
}

/** A worker process that helps with the Task, and stops in the middle of a span. */
async function startStuckHelper(workDir: string) {
  const blobsDir = join(context.workDir, "..", "blobs");
  const args = [context.database.url, blobsDir, workDir, String(SEGMENT_FRAMES), String(FROM_SECONDS)];
  const child = fork(CHILD, args, { stdio: "inherit" });
  await once(child, "message");
  return child;
}

async function readOutput(id: string): Promise<string> {
  const { targets } = await context.waitForEnd(id);
  const key = targets[0]?.output[0]?.blobKey ?? "";
  return (await buffer(await context.blobs.read(key))).toString("base64");
}

const createTask = () => context.createTask(["vocals"]);

describe("a killed helper", () => {
  it("[Q15] loses only its span: the Task continues without a further attempt, with the same bytes", async () => {
    const alone = await startWorker(await makeTempDir("alone"));
    const expected = await readOutput(await createTask());
    await alone.close();
    const goOn = Promise.withResolvers<void>();
    const id = await createTask();
    const leader = await startWorker(await makeTempDir("leader"), async (index) => {
      if (index === 1) await goOn.promise;
    });
    await expect.poll(() => leader.segments()).toBeGreaterThan(1);
    const child = await startStuckHelper(await makeTempDir("helper"));
    child.kill("SIGKILL");
    await once(child, "exit");
    goOn.resolve();
    expect(await readOutput(id)).toBe(expected);
    expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
  });

  it("[Q15] is replaced on its machine by one that resumes after its last segment", async () => {
    const goOn = Promise.withResolvers<void>();
    const id = await createTask();
    const leader = await startWorker(await makeTempDir("leader"), async (index) => {
      if (index === 1) await goOn.promise;
    });
    await expect.poll(() => leader.segments()).toBeGreaterThan(1);
    const workDir = await makeTempDir("helper");
    const child = await startStuckHelper(workDir);
    const readSpan = async (text: string) =>
      (await context.database.pool.query(`select number from spans where ${text}`)).rows;
    const [claimed] = await readSpan("claimed_until is not null");
    child.kill("SIGKILL");
    await once(child, "exit");
    await context.database.pool.query("update spans set claimed_until = now() - interval '1 second'");
    const spans: { number: number; segments: number }[] = [];
    let before = 0;
    const next = makeGainEngines({ segmentFrames: SEGMENT_FRAMES });
    await context.startWorker(next.run, {
      workDir,
      spans: {
        fromSeconds: FROM_SECONDS,
        async runSpan(request, hooks) {
          const result = await next.runSpan(request, hooks);
          spans.push({ number: request.index, segments: next.segments() - before });
          before = next.segments();
          return result;
        },
      },
    });
    await expect.poll(() => spans.length).toBeGreaterThan(1);
    goOn.resolve();
    await context.waitForEnd(id);
    // Two segments were made, one of which is repeated for its tail.
    expect(spans[0]?.number).toBe(claimed?.number);
    expect(spans[0]?.segments).toBeLessThan(spans[1]?.segments ?? 0);
  });
});
