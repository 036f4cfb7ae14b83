import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { makeTone, toWav } from "./support/audio.ts";
import { findPython } from "./support/find-python.ts";
import { makeTempDir } from "./support/temp-dir.ts";
import { startTestApi } from "./support/test-api.ts";
import { openTestStore } from "./support/test-store.ts";
import { finishAll, startWorkerOfApi } from "./support/test-worker.ts";

const CLIENT_DIR = join(import.meta.dirname, "../clients/python");

const python = findPython("import sys; sys.exit(sys.version_info < (3, 9))");
if (python === undefined) console.warn("no python3 of version 3.9 or later: the Python client is not tested");

async function runUnittest(environment: Record<string, string>, pattern: string) {
  const child = spawn(
    python as string,
    ["-W", "error", "-m", "unittest", "discover", "-s", "tests", "-p", pattern],
    {
      cwd: CLIENT_DIR,
      env: { PATH: process.env.PATH, PYTHONPATH: ".", PYTHONDONTWRITEBYTECODE: "1", ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const [output, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { output, exitCode: exitCode as number };
}

describe.skipIf(python === undefined)("the Python client", () => {
  it("retries, resumes, lists and verifies", async () => {
    const { output, exitCode } = await runUnittest({}, "test_client.py");
    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/Ran \d\d tests/);
  });

  it("works with a service", async () => {
    const api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" }, { pollIntervalMs: 50 });
    const worker = await startWorkerOfApi(api, finishAll);
    const folder = await makeTempDir("python");
    const songPath = join(folder, "song.wav");
    await writeFile(songPath, toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 })));
    const { output, exitCode } = await runUnittest(
      { STEMWRIGHT_BASE_URL: api.address, STEMWRIGHT_API_KEY: api.account.key, SONG_PATH: songPath },
      "test_service.py",
    );
    await worker.close();
    await api.close();
    await rm(folder, { recursive: true });
    expect(exitCode, output).toBe(0);
    expect(output).not.toContain("skipped");
  });

  it("[A10] sends a file straight into the service's bucket", async () => {
    const store = await openTestStore();
    await store.addBucket("python");
    const api = await startTestApi({
      ...{ S3_BUCKET: "python", S3_PRESIGNED_LINKS: "true", AWS_REGION: store.region },
      AWS_ENDPOINT_URL_S3: store.endpoint,
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    });
    const { output, exitCode } = await runUnittest(
      { STEMWRIGHT_BASE_URL: api.address, STEMWRIGHT_API_KEY: api.account.key },
      "test_bucket.py",
    );
    await api.close();
    await store.close();
    expect(exitCode, output).toBe(0);
    expect(output).not.toContain("skipped");
  });
});
