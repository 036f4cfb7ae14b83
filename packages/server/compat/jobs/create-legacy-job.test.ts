import type { LegacyJobRequest } from "@stemwright/contract";
import { describe, expect, it } from "vitest";
import { noQuota } from "../../../../test/support/without-limits.ts";
import type { CheckPorts } from "../../domain/tasks/create-task.ts";
import { prepareLegacyJob, toTaskRequest } from "./create-legacy-job.ts";

const caller = { keyId: "key", clientId: "client", role: "client" } as const;

/** Ports of an installation that has the two models, with the client's grants. */
function makePorts(granted: string[]): CheckPorts {
  const models = ["music_removal", "multi_voice"];
  const asset = {
    id: "asset",
    clientId: "client",
    media: { isReadable: true, durationSeconds: 5, sampleRateHz: 44_100, channels: 2 },
  };
  return {
    assets: { findAsset: async () => asset },
    grants: {
      listGrants: async () => granted.map((model) => ({ model, access: "enabled", creditsPerMinute: 3 })),
    },
    urls: { check: () => {} },
    media: { findOutputFault: () => undefined },
    quota: noQuota,
    sizeLimits: { decodedMaxBytes: 1e9, workMaxBytes: 1e9 },
    installed: models.map((id) => ({
      id,
      variants: ["n_speaker"],
      weights: { name: "test", licence: "MIT" },
      scores: [],
    })),
  } as unknown as CheckPorts;
}

describe("a legacy job", () => {
  it("[J3] is a Task with one target that has all the job's options", () => {
    const request: LegacyJobRequest = {
      assetId: "asset",
      metadata: { name: "alignment", format: "json", residual: false, variant: "fine", language: "en" },
      otherSourceAssets: [{ id: "words", type: "transcription" }],
    };
    expect(toTaskRequest(request)).toEqual({
      assetId: "asset",
      targets: [
        {
          model: "alignment",
          formats: ["json"],
          residual: false,
          variant: "fine",
          language: "en",
          transcriptAssetId: "words",
        },
      ],
    });
  });

  it.each([
    { name: "music_removal", format: "wav" },
    { name: "multi_voice", format: "wav", variant: "n_speaker" },
  ])("[J7] $name is open to it where it was granted, at the rate that was agreed", async (metadata) => {
    const job = { request: { assetId: "asset", metadata }, requestId: "request" };
    await expect(prepareLegacyJob(makePorts([]), caller, job)).rejects.toMatchObject({
      code: "MODEL_NOT_GRANTED",
    });
    const { task } = await prepareLegacyJob(makePorts([metadata.name]), caller, job);
    expect(task).toMatchObject({
      targets: [{ model: metadata.name, creditsPerMinute: 3 }],
      legacyJob: { requestId: "request", metadata },
    });
  });
});
