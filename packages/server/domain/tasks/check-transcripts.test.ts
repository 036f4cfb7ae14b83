import { describe, expect, it } from "vitest";
import type { Caller } from "../accounts/caller.ts";
import type { AssetRecord } from "../assets/asset-record.ts";
import { makeId } from "../ids.ts";
import { checkTranscripts } from "./check-transcripts.ts";

const [textId, soundId, blankId] = [makeId(), makeId(), makeId()];
const formats = new Map([
  [textId, "txt"],
  [soundId, "wav"],
  [blankId, "txt"],
]);
const ports = {
  assets: {
    findAsset: async (_: string, id: string) =>
      formats.has(id) ? ({ id, format: formats.get(id), blobKey: id } as AssetRecord) : undefined,
  },
  urls: { check: () => {} },
  transcriptReader: {
    findFault: async (blobKey: string) => (blobKey === blankId ? "The transcript is empty." : undefined),
  },
} as unknown as Parameters<typeof checkTranscripts>[0];

const check = (
  options: { transcriptAssetId?: string; transcriptUrl?: string },
  task: { storageIntegrationId?: string } = {},
) =>
  checkTranscripts(ports, { clientId: "client" } as Caller, {
    targets: [{ model: "alignment", formats: ["json"], ...options }],
    ...task,
  });

describe("checkTranscripts", () => {
  it("[Z5] accepts what may be a transcript", async () => {
    await expect(check({})).resolves.toEqual([]);
    await expect(check({ transcriptAssetId: textId })).resolves.toMatchObject([{ id: textId }]);
    await expect(check({ transcriptUrl: "https://media.example/words.txt" })).resolves.toEqual([]);
    const inBucket = check({ transcriptUrl: "s3://bucket/words.txt" }, { storageIntegrationId: makeId() });
    await expect(inBucket).resolves.toEqual([]);
  });

  it.each([
    ["ASSET_UNKNOWN", "transcriptAssetId", makeId()],
    ["ASSET_UNKNOWN", "transcriptAssetId", "none"],
    ["TRANSCRIPT_NOT_ALLOWED", "transcriptAssetId", soundId],
    ["TRANSCRIPT_UNUSABLE", "transcriptAssetId", blankId],
    ["STORAGE_INTEGRATION_REQUIRED", "transcriptUrl", "s3://bucket/words.txt"],
    ["URL_INVALID", "transcriptUrl", "s3://bucket"],
    ["URL_INVALID", "transcriptUrl", "ftp://media.example/words.txt"],
  ])("[Z5] refuses with %s a %s of %s", async (code, field, value) => {
    await expect(check({ [field]: value })).rejects.toMatchObject({
      code,
      details: [{ path: `targets[0].${field}` }],
    });
  });
});
