import { writeFile } from "node:fs/promises";
import type { Task } from "@stemwright/contract";
import { type TextFormat, type TimedText, writeText } from "@stemwright/engine";
import { vi } from "vitest";
import { makeTone, toWav } from "./audio.ts";
import type { TestApi } from "./test-api.ts";
import { type RunEngine, startWorkerOfApi } from "./test-worker.ts";

const SECONDS = 10;

/** Ten seconds: two lines of three words, each half a second long. */
export const SPOKEN: TimedText = {
  durationSeconds: SECONDS,
  metadata: { language: "en", languageConfidence: 0.9, model: "test" },
  lines: [
    ["Seven ", "ships ", "sailed\n"],
    ["across ", "the ", "sea\n"],
  ].map((words, line) => ({
    words: words.map((text, n) => ({
      text,
      startSeconds: 1 + line * 3 + n,
      endSeconds: 1.5 + line * 3 + n,
      confidence: 0.9,
    })),
  })),
};

/** Writes texts with those words, and arbitrary bytes for audio. */
const speak: RunEngine = async (request, hooks = {}) => {
  for (const target of request.targets) {
    const files = target.kind === "voices" ? [] : target.files;
    for (const { path, format } of files)
      await writeFile(path, target.kind === "text" ? writeText(SPOKEN, format as TextFormat) : "stem");
    await hooks.onTargetDone?.(target.key, { durationSeconds: SECONDS });
  }
};

/** A completed Task of the first account, or of the one whose key is given. */
export async function makeWordsTask(
  api: TestApi,
  targets: { model: string; formats: string[]; fileTimeline?: boolean | undefined }[] = [
    { model: "transcription", formats: ["json"] },
  ],
  { key = api.account.key } = {},
): Promise<Task> {
  const sound = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 * SECONDS }));
  const { id: assetId } = (await (await api.upload(sound, "speech.wav", { key })).json()) as { id: string };
  const { id } = (await (await api.post("/tasks", { assetId, targets }, { key })).json()) as Task;
  const worker = await startWorkerOfApi(api, speak);
  try {
    const load = async () => (await (await api.call(`/tasks/${id}`, { key })).json()) as Task;
    return await vi.waitFor(
      async () => {
        const task = await load();
        if (task.completedAt === null) throw new Error("the Task is not complete");
        return task;
      },
      { timeout: 20_000 },
    );
  } finally {
    await worker.close();
  }
}
