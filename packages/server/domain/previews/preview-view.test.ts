import { expect, it } from "vitest";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import type { PreviewRecord } from "./preview-record.ts";
import { toTaskPreviews } from "./preview-view.ts";

const target: TargetRecord = {
  id: "v",
  model: "multi_voice",
  formats: ["wav"],
  creditsPerMinute: 1,
  residual: true,
  status: "processing",
  progress: 0.5,
  output: [],
};
const task = { completedAt: null, targets: [target] } as unknown as TaskRecord;
const view = (chunks: PreviewRecord["chunks"]) =>
  toTaskPreviews(
    task,
    {
      version: "1",
      shape: {
        sampleRateHz: 48_000,
        channels: 2,
        lengthFrames: 300,
        chunkFrames: 100,
        peakLevels: [256],
        overviewLevels: 1,
        pageChunks: 1,
        spectrum: { levels: [2048], overviewLevels: 1, bands: 64, floorDb: -120 },
      },
      chunks,
      sizeBytes: 0,
    },
    [],
  );

it("[PV1] voices become tracks as they are found, and previews grow until then", () => {
  const before = view({ input: 3 });
  expect(before).toMatchObject({ status: "growing" });
  expect(before.tracks.map(({ id }) => id)).toEqual(["input", "v-residual"]);
  const after = view({ input: 3, "v-voice-02": 3, "v-voice-01": 3, "v-residual": 3 });
  expect(after).toMatchObject({
    status: "complete",
    tracks: [
      { id: "input", name: "input" },
      { id: "v-voice-01", name: "voice_01", targetId: "v" },
      { id: "v-voice-02", name: "voice_02", targetId: "v" },
      { id: "v-residual", name: "voice_residual", targetId: "v" },
    ],
  });
});
