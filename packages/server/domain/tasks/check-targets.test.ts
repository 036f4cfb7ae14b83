import type { TargetRequest } from "@stemwright/contract";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../models/catalogue.ts";
import { Refusal } from "../refusal.ts";
import { checkTargets } from "./check-targets.ts";

const installed = CATALOGUE.filter(({ id }) => id !== "piano").map(({ id }) => ({
  id,
  variants: [],
  weights: { name: "", licence: "" },
  scores: [],
}));

function codeOf(targets: TargetRequest[]): string | undefined {
  try {
    checkTargets(targets, { installed, grants: [] });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const vocals: TargetRequest = { model: "vocals", formats: ["wav"] };

describe("targets against the catalogue", () => {
  it.each<[string | undefined, TargetRequest[]]>([
    [undefined, [vocals]],
    [undefined, [vocals, { ...vocals, formats: ["mp3"] }]],
    [undefined, [vocals, { ...vocals, residual: true }]],
    ["MODEL_UNKNOWN", [{ model: "nonsense", formats: ["wav"] }]],
    ["MODEL_UNKNOWN", [{ model: "constructor", formats: ["wav"] }]],
    ["VARIANT_UNKNOWN", [{ ...vocals, variant: "best" }]],
    ["VARIANT_UNKNOWN", [{ model: "drums", formats: ["wav"], variant: "high_quality" }]],
    ["SPEAKERS_NOT_ALLOWED", [{ ...vocals, speakers: true }]],
    ["SPEAKERS_NOT_ALLOWED", [{ model: "music_detection", formats: ["json"], speakerNames: false }]],
    ["SPEAKERS_NOT_ALLOWED", [{ model: "alignment", formats: ["srt"], speakerNames: true }]],
    [undefined, [{ model: "alignment", formats: ["srt"], speakers: 2, speakerNames: true }]],
    ["FORMAT_UNSUPPORTED", [{ model: "vocals", formats: ["json"] }]],
    ["FORMATS_DUPLICATE", [{ model: "vocals", formats: ["wav", "wav"] }]],
    ["LANGUAGE_UNSUPPORTED", [{ ...vocals, language: "en" }]],
    ["LANGUAGE_UNSUPPORTED", [{ model: "transcription", formats: ["json"], language: "xx" }]],
    [undefined, [{ model: "transcription", formats: ["json"], language: "EN" }]],
    [undefined, [{ model: "transcription", formats: ["json"], language: "en-US" }]],
    [undefined, [{ model: "transcription", formats: ["json"], language: "pt_BR" }]],
    ["LANGUAGE_UNSUPPORTED", [{ model: "transcription", formats: ["json"], language: "-" }]],
    ["FIELD_NOT_ALLOWED", [{ ...vocals, prompt: "Ships." }]],
    ["FIELD_NOT_ALLOWED", [{ ...vocals, keywords: [] }]],
    ["FIELD_NOT_ALLOWED", [{ model: "music_detection", formats: ["json"], maxLines: 1 }]],
    ["FIELD_NOT_ALLOWED", [{ model: "alignment", formats: ["srt"], translate: true }]],
    [undefined, [{ model: "transcription", formats: ["srt"], translate: true, maxLineLength: 32 }]],
    [
      undefined,
      [{ model: "alignment", formats: ["srt"], keywords: ["Aoife"], prompt: "Ships.", maxLines: 3 }],
    ],
    ["TRANSCRIPT_NOT_ALLOWED", [{ ...vocals, transcriptAssetId: "abc" }]],
    [
      "TRANSCRIPT_NOT_ALLOWED",
      [{ model: "alignment", formats: ["json"], transcriptAssetId: "abc", transcriptUrl: "https://x" }],
    ],
    ["MODEL_NOT_INSTALLED", [{ model: "piano", formats: ["wav"] }]],
    ["MODEL_NOT_GRANTED", [{ model: "music_removal", formats: ["wav"] }]],
    ["MODEL_NOT_INSTALLED", [{ ...vocals, variant: "high_quality" }]],
  ])("[T2] %s for %j", (code, targets) => {
    expect(codeOf(targets)).toBe(code);
  });

  it.each<[TargetRequest, TargetRequest]>([
    [vocals, vocals],
    [vocals, { formats: ["wav"], model: "vocals" }],
    [vocals, { ...vocals, residual: false }],
    [
      { ...vocals, formats: ["wav", "mp3"] },
      { ...vocals, formats: ["mp3", "wav"] },
    ],
    [
      { model: "transcription", formats: ["json"], language: "en" },
      { model: "transcription", formats: ["json"], language: "EN-us" },
    ],
  ])("[T1] %j and %j are the same target twice", (first, second) => {
    expect(codeOf([first, second])).toBe("TARGETS_DUPLICATE");
  });

  it("[T2] the message of an unknown model lists all models", () => {
    expect(() => checkTargets([{ model: "x", formats: ["wav"] }], { installed, grants: [] })).toThrow(
      `Must be one of ${CATALOGUE.map(({ id }) => id).join(", ")}`,
    );
  });
});
