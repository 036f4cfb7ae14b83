import { cp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { openBrowser } from "../support/browser.ts";
import { bundleSdk } from "../support/bundle-sdk.ts";
import { startTestApi, type TestApi } from "../support/test-api.ts";
import { finishAll, startWorkerOfApi } from "../support/test-worker.ts";
import { makeToolFolder, runTool } from "../support/tool-folder.ts";

const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));

let api: TestApi;
let closeWorker: () => Promise<void>;
beforeAll(async () => {
  api = await startTestApi({}, { pollIntervalMs: 50 });
  closeWorker = (await startWorkerOfApi(api, finishAll)).close;
});
afterAll(async () => {
  await closeWorker();
  await api.close();
});

/** The packages contain the programs; their links would be made by an install script. */
const RUNTIMES: Record<string, string[]> = {
  node: ["node", "program.mjs"],
  deno: ["node_modules/@deno/linux-x64-glibc/deno", "run", "--allow-all", "--no-lock", "program.mjs"],
  bun: ["node_modules/@oven/bun-linux-x64/bin/bun", "program.mjs"],
};

describe("the SDK", () => {
  it.each(Object.entries(RUNTIMES))(
    "[S30] uploads, waits, saves, lists and reports errors on %s",
    async (_name, [program = "", ...args]) => {
      const folder = await makeToolFolder();
      await writeFile(join(folder, "sdk.mjs"), await bundleSdk("node"));
      await writeFile(join(folder, "song.wav"), SONG);
      await cp(join(import.meta.dirname, "programs/sdk.mjs"), join(folder, "program.mjs"));
      const path = program === "node" ? program : join(folder, program);
      const env = { BASE_URL: api.address, API_KEY: api.account.key, DENO_NO_UPDATE_CHECK: "1" };
      expect(await runTool(path, args, { cwd: folder, env })).toEqual({
        exitCode: 0,
        output: "true stem true NotFoundError true\n",
      });
    },
  );

  it("[S30] uploads with progress, waits and reads an output in Chromium, from a page of another origin", async () => {
    const code = await bundleSdk("browser");
    const server = createServer((request, response) => {
      const isScript = request.url === "/sdk.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? code : "<!doctype html><title>A page</title>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await openBrowser();
    onTestFinished(async () => {
      await browser.close();
      server.close();
    });
    const page = await browser.newPage();
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await page.goto(address);
    await page.addScriptTag({
      type: "module",
      content: `import { Stemwright } from "/sdk.js"; globalThis.Stemwright = Stemwright;`,
    });
    await page.waitForFunction("globalThis.Stemwright !== undefined");
    const found = await page.evaluate(`(async () => {
      const client = new Stemwright({ baseUrl: ${JSON.stringify(api.address)}, apiKey: ${JSON.stringify(api.account.key)} });
      const song = new File([new Uint8Array(${JSON.stringify([...SONG])})], "song.wav");
      const steps = [];
      const task = await client.tasks.run(song, [{ model: "vocals", formats: ["wav"] }], { onUploadProgress: (step) => steps.push(step) });
      const refused = await client.tasks.get("nobody").catch((error) => error);
      const [file] = task.targets[0].output;
      return [steps.length > 0, await (await fetch(file.link)).text(), refused.name];
    })()`);
    expect(found).toEqual([true, "stem", "NotFoundError"]);
  });
});
