import { describe, expect, it } from "vitest";
import type { TargetRecord } from "../tasks/task-record.ts";
import { planStemFile } from "./stem-file-plan.ts";

const target = (model: string, files: string[], fields: Partial<TargetRecord> = {}): TargetRecord => ({
  id: model,
  model,
  formats: ["wav"],
  creditsPerMinute: 1,
  status: "completed",
  progress: 1,
  durationSeconds: 240,
  output: files.map((file) => {
    const [name = "", format = ""] = file.split(".");
    return { name, format, blobKey: file, sizeBytes: 1 };
  }),
  ...fields,
});
const plan = (targets: TargetRecord[], mixKey?: string) => {
  const made = planStemFile({ targets }, mixKey);
  return made && [made.mixKey, ...made.stems.map(({ name, blobKey }) => `${name}: ${blobKey}`)];
};

describe("the tracks of a stem file", () => {
  it("[EX4] are the four stems in the order DJ software expects, each from its best file", () => {
    const targets = ["vocals", "other", "bass", "drums"].map((model) =>
      target(model, [`${model}.mp3`, `${model}.flac`]),
    );
    expect(plan(targets, "song.wav")).toEqual([
      "song.wav",
      ...["Drums: drums.flac", "Bass: bass.flac", "Other: other.flac", "Vocals: vocals.flac"],
    ]);
  });

  it("[O31] begin with the audio, also those of stems that are silent before it", () => {
    const late = { audioOffsetSeconds: 4 };
    const vocals = target("vocals", ["vocals.wav", "vocals_residual.wav"], { ...late, fileTimeline: true });
    const targets = [vocals, target("drums", ["drums.wav"], late)];
    expect(
      planStemFile({ targets }, "film.mp4")?.stems.map(({ name, leadSeconds }) => [name, leadSeconds]),
    ).toEqual([
      ["Drums", 0],
      ["Vocals", 4],
    ]);
    expect(planStemFile({ targets }, undefined)?.stems).toMatchObject([
      { leadSeconds: 4 },
      { leadSeconds: 4 },
    ]);
  });

  it("[EX4] do not overlap, and of more than four the fourth track is the rest", () => {
    const models = ["instrumental", "vocals", "drums", "bass", "guitar", "piano"];
    const targets = models.map((model) => target(model, [`${model}.wav`]));
    expect(plan(targets, "song.wav")).toEqual([
      "song.wav",
      ...["Drums: drums.wav", "Bass: bass.wav", "Vocals: vocals.wav"],
    ]);
    expect(plan(targets.slice(0, 2), "song.wav")).toEqual([
      "song.wav",
      ...["Vocals: vocals.wav", "Instrumental: instrumental.wav"],
    ]);
  });

  it("[EX4] are three and the rest if four of them leave a rest", () => {
    const of = (...models: string[]) => models.map((model) => target(model, [`${model}.wav`]));
    const [first, second, third] = ["Drums: drums.wav", "Bass: bass.wav", "Vocals: vocals.wav"];
    expect(plan(of("vocals", "guitar", "bass", "other", "drums"), "song.wav")).toEqual([
      "song.wav",
      first,
      second,
      "Other: other.wav",
      third,
    ]);
    expect(plan(of("vocals", "bass", "drums", "guitar"), "song.wav")).toEqual([
      "song.wav",
      first,
      second,
      third,
    ]);
    expect(plan(of("vocals", "other", "guitar", "guitar_electric"), "song.wav")).toEqual([
      "song.wav",
      ...["Vocals: vocals.wav", "Guitar: guitar.wav"],
    ]);
  });

  it("[EX4] of a deleted recording are a stem and its residual, or stems requested together", () => {
    expect(plan([target("vocals", ["vocals.wav", "vocals_residual.wav"])])).toEqual([
      undefined,
      ...["Vocals: vocals.wav", "Rest: vocals_residual.wav"],
    ]);
    const guitar = target("guitar", ["guitar.wav"]);
    expect(plan([guitar, target("other", ["other.wav", "other_residual.wav"])])).toEqual([
      undefined,
      ...["Other: other.wav", "Rest: other_residual.wav"],
    ]);
    expect(plan([target("vocals", ["vocals.wav"])])).toBeUndefined();
    expect(plan([guitar, target("vocals", ["vocals.wav"]), target("other", ["other.wav"])])).toEqual([
      undefined,
      ...["Other: other.wav", "Vocals: vocals.wav"],
    ]);
    expect(plan([target("drums", ["drums.wav"]), target("bass", ["bass.wav"])])).toEqual([
      undefined,
      ...["Drums: drums.wav", "Bass: bass.wav"],
    ]);
  });

  it("[EX4] exclude texts, unfinished targets and recordings longer than half an hour", () => {
    const targets = [
      target("transcription", ["transcription.json"]),
      target("vocals", [], { status: "processing" }),
      target("drums", ["drums.wav"], { durationSeconds: 1801 }),
    ];
    expect(plan(targets, "song.wav")).toBeUndefined();
  });
});
