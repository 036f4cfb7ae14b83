import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import type { EngineTarget } from "@stemwright/engine";
import { listTestPaths, type RunEngine } from "./test-worker.ts";

const say = (text: string, start: number) => ({ text, start, end: start + 0.4, confidence: 0.9 });

/** The transcript that the engine below returns for every recording. */
export const SPOKEN = {
  text: "Seven ships sailed. They sank. ",
  lines: [
    {
      start: 0.5,
      end: 1.9,
      text: "Seven ships sailed. ",
      words: [say("Seven ", 0.5), say("ships ", 1), say("sailed. ", 1.5)],
    },
    { start: 2, end: 2.9, text: "They sank. ", words: [say("They ", 2), say("sank. ", 2.5)] },
  ],
  metadata: { language: "en", languageConfidence: 0.98, model: "whisper-test" },
};

const SUBTITLES = "1\n00:00:00,500 --> 00:00:02,900\nSeven ships sailed. They sank.\n";
const CONTENTS: Record<string, string> = {
  json: JSON.stringify(SPOKEN),
  srt: SUBTITLES,
  vtt: `WEBVTT\n\n${SUBTITLES.slice(2).replaceAll(",", ".")}`,
};

/** Writes the same words for every recording, and records its targets. */
export function makeSpeakingEngine(): { run: RunEngine; targets: EngineTarget[] } {
  const targets: EngineTarget[] = [];
  const run: RunEngine = async (request, hooks = {}) => {
    targets.push(...request.targets);
    for (const target of request.targets) {
      for (const path of listTestPaths(target)) await writeFile(path, CONTENTS[extname(path).slice(1)] ?? "");
      await hooks.onTargetDone?.(target.key, { durationSeconds: 3.25 });
    }
  };
  return { run, targets };
}
