import { expect, it } from "vitest";
import { listArchiveFiles } from "./archive.ts";

it("[EX2] [Y6] files of an archive have unique names, and UltraStar songs their extension", () => {
  const target = {
    id: "target",
    model: "transcription",
    formats: ["srt", "ultrastar"],
    creditsPerMinute: 1,
    status: "completed" as const,
    progress: 1,
    output: ["srt", "ultrastar"].map((format) => ({
      name: "transcription",
      format,
      blobKey: `outputs/task/target/transcription.${format}`,
      sizeBytes: 1,
    })),
  };
  expect(listArchiveFiles({ targets: [target, target] }).map(({ name }) => name)).toEqual([
    "transcription.srt",
    "transcription.ultrastar.txt",
    "transcription-2.srt",
    "transcription-2.ultrastar.txt",
  ]);
});
