import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { makeResponseChecker, type OpenApi } from "../support/openapi.ts";
import { startTestApi, type TestAccount, type TestApi } from "../support/test-api.ts";
import { type FuzzRequest, makeRequestArbitrary } from "./support/fuzz-requests.ts";
import { sendFuzzRequest } from "./support/send-fuzz-request.ts";

/** `npm run fuzz` sends many more and records their number. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1200);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
const RESULTS_PATH = process.env.FUZZ_RESULTS;
const AT_ONCE = 8;
const MAX_KNOWN = 60;

let api: TestApi;
let admin: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  api = await startTestApi({ LOG_LEVEL: "error" });
  admin = await api.addAccount({ role: "admin" });
  other = await api.addAccount({ isMetered: true });
});
afterAll(() => api.close());

/** Existing resources, so that requests get past the first check. */
async function makeKnownIds(): Promise<string[]> {
  const tone = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
  const { id: assetId } = (await (await api.upload(tone, "a.wav")).json()) as { id: string };
  const targets = [{ model: "vocals", formats: ["wav"] }];
  const { id: taskId } = (await (await api.post("/tasks", { assetId, targets })).json()) as { id: string };
  return [assetId, taskId, other.clientId];
}

const describeRequest = ({ body, ...request }: FuzzRequest) =>
  `${JSON.stringify(request)} ${Buffer.isBuffer(body) ? body.toString("latin1") : body}`.slice(0, 1500);

it(`[E7] [G15] ${REQUESTS} random requests over every route give no 5xx, and answers as described`, {
  timeout: 3_600_000,
}, async () => {
  const document = (await (await api.call("/openapi.json")).json()) as OpenApi;
  const check = makeResponseChecker(document);
  const keys = { client: api.account.key, admin: admin.key, none: undefined, nonsense: "sw_nonsense" };
  const requests = fc.sample(makeRequestArbitrary(document), { numRuns: REQUESTS, seed: SEED });
  const knownIds = await makeKnownIds();
  const statusCounts = new Map<string, number>();
  const operations = new Set<string>();
  const mistakes: string[] = [];
  const startMs = performance.now();
  let next = 0;

  const send = async (fuzz: FuzzRequest) => {
    const { pathname, response } = await sendFuzzRequest(api.address, fuzz, { knownIds, keys });
    operations.add(fuzz.operation);
    statusCounts.set(String(response.status), (statusCounts.get(String(response.status)) ?? 0) + 1);
    if (response.status >= 500) mistakes.push(`${response.status} to ${describeRequest(fuzz)}`);
    if (!response.headers.has("x-request-id")) mistakes.push(`no x-request-id to ${describeRequest(fuzz)}`);
    if (fuzz.method === "HEAD" || response.headers.has("content-encoding")) return;
    const mistake = await check(fuzz.method, pathname, response);
    if (mistake !== undefined) mistakes.push(`${mistake} to ${describeRequest(fuzz)}`);
  };
  const sendAll = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      if (index % 250 === 0) knownIds.splice(0, MAX_KNOWN, ...(await makeKnownIds()));
      const request = requests[index];
      if (request)
        await send(request).catch((error: Error) =>
          mistakes.push(`${error.message} to ${describeRequest(request)}`),
        );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll));

  const seconds = (performance.now() - startMs) / 1000;
  const statuses = Object.fromEntries([...statusCounts].sort());
  if (RESULTS_PATH !== undefined) {
    const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
    const machine = `${cpus().length} × ${cpus()[0]?.model}`;
    const result = {
      requests: REQUESTS,
      seed: SEED,
      operations: operations.size,
      statuses,
      mistakes: mistakes.length,
      seconds: Math.round(seconds),
      commit,
      machine,
    };
    await writeFile(
      join(import.meta.dirname, "..", "..", RESULTS_PATH),
      `${JSON.stringify(result, null, 2)}\n`,
    );
  }
  expect(mistakes.slice(0, 5)).toEqual([]);
  expect(operations.size).toBe(
    Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length,
  );
  expect(statuses["200"]).toBeGreaterThan(REQUESTS / 20);
});
