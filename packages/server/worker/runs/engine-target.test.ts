import { expect, it } from "vitest";
import type { TargetRecord } from "../../domain/tasks/task-record.ts";
import { planOutputs, toEngineTarget } from "./engine-target.ts";

it.each(["en", "EN", "en-US", "en_GB"])("[V6] the language %s is en to the engine", (language) => {
  const target = { id: "t", model: "transcription", formats: ["json"], language } as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({ kind: "text", language: "en" });
});

it.each([
  ["transcription", undefined, true],
  ["alignment", undefined, true],
  ["music_detection", undefined, true],
  ["vocals", undefined, false],
  ["multi_voice", undefined, false],
  ["transcription", false, false],
  ["vocals", true, true],
])("[O31] %s with fileTimeline %s is on the file's timeline: %s", (model, fileTimeline, expected) => {
  const target = { id: "t", model, formats: [], fileTimeline } as unknown as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({ isOnFileTimeline: expected });
});

it("[V10] [V11] [Y4] prompts, keywords and subtitle limits reach the engine", () => {
  const options = { translate: true, prompt: "Ships.", keywords: ["Aoife"], maxLineLength: 30, maxLines: 1 };
  const target = { id: "t", model: "transcription", formats: ["srt"], ...options } as unknown as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({
    translate: true,
    prompt: "Ships.",
    keywords: ["Aoife"],
    maxLineLength: 30,
    maxLines: 1,
  });
});

it.each([[["wav", "mp3", "json"]], [["wav", "mp3"]], [["json"]]])(
  "[VO1] [VO3] as many voices are stored as were made, and who speaks when only if asked: %s",
  (formats) => {
    const target = {
      id: "t",
      model: "multi_voice",
      formats,
      variant: "n_speaker",
      residual: true,
    } as TargetRecord;
    const sounds = formats.filter((format) => format !== "json");
    expect(toEngineTarget(target, "task")).toMatchObject({
      kind: "voices",
      pathPrefix: "task/out/t-voice_n_speaker",
      formats: sounds,
      hasResidual: true,
    });
    expect(planOutputs(target, "task", 2).map(({ path }) => path)).toEqual([
      ...["01", "02", "residual"].flatMap((name) =>
        sounds.map((format) => `task/out/t-voice_n_speaker_${name}.${format}`),
      ),
      ...(formats.includes("json") ? ["task/out/t-voice_n_speaker.json"] : []),
    ]);
  },
);

it.each([
  [true, { speakers: true }],
  [3, { speakers: 3 }],
])("[VO4] speakers of %s reach the engine", (speakers, expected) => {
  const target = { id: "t", model: "transcription", formats: ["json"], speakers } as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject(expected);
  expect(toEngineTarget({ ...target, speakers: false }, "task")).not.toHaveProperty("speakers");
});
