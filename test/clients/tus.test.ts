import { randomBytes } from "node:crypto";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Stemwright } from "../../packages/sdk/index.ts";
import { startTestApi } from "../support/test-api.ts";
import { makeToolFolder, runTool } from "../support/tool-folder.ts";
import { openWeakLine } from "../support/weak-line.ts";

const FILE = randomBytes(20_000_000);

it.each([
  ["in one request", "Infinity", []],
  ["in chunks", "3000000", []],
  ["over a line that breaks three times", "Infinity", [4_000_000, 6_000_000, 2_000_000]],
  ["in chunks over a line that breaks three times", "3000000", [1_000_000, 4_000_000, 2_000_000]],
])("[A7] [A8] tus-js-client uploads a file %s", async (_name, chunkBytes, breaks) => {
  const api = await startTestApi();
  onTestFinished(() => api.close());
  // The line is where the client finds the upload again.
  const line = await openWeakLine(api.address, { breaksAfterBytes: breaks });
  const folder = await makeToolFolder();
  await writeFile(join(folder, "film.mp4"), FILE);
  await cp(join(import.meta.dirname, "programs/tus.mjs"), join(folder, "program.mjs"));
  const client = new Stemwright({ baseUrl: api.address, apiKey: api.account.key });
  const { id: started } = await client.uploads.create({ name: "film ö.mp4", sizeBytes: FILE.length });
  const env = {
    ...{ BASE_URL: line, API_KEY: api.account.key, FILE: "film.mp4", CHUNK_BYTES: chunkBytes },
    ...(breaks.length > 0 ? { UPLOAD_URL: `${line}/uploads/${started}` } : {}),
  };
  const { exitCode, output } = await runTool("node", ["program.mjs"], { cwd: folder, env });
  expect(exitCode, output).toBe(0);
  const { url, calls } = JSON.parse(output) as { url: string; calls: string[] };
  const asset = await client.assets.get(url.split("/").at(-1) ?? "");
  expect(asset).toMatchObject({ name: "film ö.mp4", format: "mp4", size: FILE.length });
  const stored = await (await client.assets.download(asset)).arrayBuffer();
  expect(Buffer.from(stored).equals(FILE)).toBe(true);
  expect(calls.at(-1)).toBe("PATCH 204");
  expect(calls.filter((call) => call === "HEAD 200").length).toBe(
    breaks.length === 0 ? 0 : breaks.length + 1,
  );
});
