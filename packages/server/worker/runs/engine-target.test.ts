import { expect, it } from "vitest";
import type { TargetRecord } from "../../domain/tasks/task-record.ts";
import { planOutputs, toEngineTarget } from "./engine-target.ts";

it.each(["en", "EN", "en-US", "en_GB"])("[V6] the language %s is en to the engine", (language) => {
  const target = { id: "t", model: "transcription", formats: ["json"], language } as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({ kind: "text", language: "en" });
});

it("[V10] [V11] [Y4] prompts, keywords and subtitle limits reach the engine", () => {
  const wishes = { translate: true, prompt: "Ships.", keywords: ["Aoife"], maxLineLength: 30, maxLines: 1 };
  const target = { id: "t", model: "transcription", formats: ["srt"], ...wishes } as unknown as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({
    isTranslated: true,
    prompt: "Ships.",
    keywords: ["Aoife"],
    cueLimits: { rowWidth: 30, rows: 1 },
  });
});

it("[VO1] as many voices are stored as were made, with who speaks when", () => {
  const target = {
    id: "t",
    model: "multi_voice",
    formats: ["wav", "mp3"],
    variant: "n_speaker",
    residual: true,
  } as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject({
    kind: "voices",
    pathPrefix: "task/out/t-voice_n_speaker",
    formats: ["wav", "mp3"],
    hasResidual: true,
  });
  expect(planOutputs(target, "task", 2).map(({ path }) => path)).toEqual([
    "task/out/t-voice_n_speaker_01.wav",
    "task/out/t-voice_n_speaker_01.mp3",
    "task/out/t-voice_n_speaker_02.wav",
    "task/out/t-voice_n_speaker_02.mp3",
    "task/out/t-voice_n_speaker_residual.wav",
    "task/out/t-voice_n_speaker_residual.mp3",
    "task/out/t-voice_n_speaker.json",
  ]);
});

it.each([
  [true, { speakers: true, hasSpeakerNames: false }],
  [3, { speakers: 3, hasSpeakerNames: false }],
])("[VO4] speakers of %s reach the engine", (speakers, expected) => {
  const target = { id: "t", model: "transcription", formats: ["json"], speakers } as TargetRecord;
  expect(toEngineTarget(target, "task")).toMatchObject(expected);
  expect(toEngineTarget({ ...target, speakers: false }, "task")).not.toHaveProperty("speakers");
});
