import { targetRequest, taskRequest } from "@stemwright/contract";
import { expect, it } from "vitest";
import { type Choice, FIRST_CHOICE, toTargets } from "../packages/dashboard/pages/playground/choice.ts";
import { toModels } from "../packages/server/domain/models/model-view.ts";

/** Why the playground has no control for an option of the contract. */
const WITHOUT_CONTROL: Record<string, string> = {
  transcriptUrl: "a text is typed or dropped, and uploaded",
  storageIntegrationId: "for programs: what is in a customer's bucket can't be played or edited in the pages",
  writeDestination: "for programs: what is in a customer's bucket can't be played or edited in the pages",
  webhookUrl: "for programs: the pages follow a Task themselves",
  metadata: "the name of the batch",
  priority: "for programs: Tasks of people are few, and run in the order they are started",
};

/** Everything chosen that can be. */
const ALL: Choice = {
  ...FIRST_CHOICE,
  models: [
    { id: "vocals", variant: "high_quality", isResidual: true },
    { id: "transcription" },
    { id: "alignment" },
  ],
  bitDepth: "24",
  language: "en",
  words: {
    speakers: "any",
    speakerNames: true,
    keywords: "Siobhan",
    prompt: "A talk",
    translate: true,
    maxLineLength: "30",
    maxLines: "1",
    isFromAudio: true,
  },
};

it("[PG6] the playground offers every option of a Task and its targets, or says here why not", () => {
  const installed = ALL.models.map(({ id, variant }) => ({
    id,
    variants: variant === undefined ? [] : [variant],
    weights: { name: "", licence: "" },
    scores: [],
  }));
  const targets = toTargets(ALL, toModels(installed), { transcriptAssetId: "a1" });
  const offered = new Set(targets.flatMap((target) => Object.keys(target)));
  for (const field of Object.keys(targetRequest.shape))
    expect(offered.has(field) || field in WITHOUT_CONTROL, field).toBe(true);
  // The source is what the page begins with; the targets are above.
  const known = ["assetId", "url", "targets", ...Object.keys(WITHOUT_CONTROL)];
  expect(Object.keys(taskRequest.shape).filter((field) => !known.includes(field))).toEqual([]);
  for (const target of targets) expect(targetRequest.safeParse(target).success).toBe(true);
});
