import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { makeSpeakingEngine, SPOKEN } from "../support/speaking-engine.ts";
import { startTestApi } from "../support/test-api.ts";
import { startWorkerOfApi } from "../support/test-worker.ts";
import { makeToolFolder, runTool } from "../support/tool-folder.ts";

it("[J10] Vercel's AI SDK transcribes", async () => {
  const api = await startTestApi();
  const worker = await startWorkerOfApi(api, makeSpeakingEngine().run);
  onTestFinished(async () => {
    await worker.close();
    await api.close();
  });
  const folder = await makeToolFolder();
  const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 200 }));
  await writeFile(join(folder, "song.wav"), song);
  await cp(join(import.meta.dirname, "programs/ai-sdk.mjs"), join(folder, "program.mjs"));
  const env = { BASE_URL: api.address, API_KEY: api.account.key };
  const { exitCode, output } = await runTool("node", ["program.mjs"], { cwd: folder, env });
  expect(exitCode, output).toBe(0);
  expect(JSON.parse(output)).toEqual({ text: SPOKEN.text.trim(), segments: 2, language: "en" });
});
