import { describe, expect, it } from "vitest";
import { noQuota } from "../../../../test/support/without-limits.ts";
import type { CheckPorts } from "./create-task.ts";
import { estimateTask } from "./estimate-task.ts";

const installed = ["transcription", "alignment"].map((id) => ({
  id,
  variants: [],
  weights: { name: "some", licence: "MIT" },
  scores: [],
}));
const media = {
  isReadable: true as const,
  durationSeconds: 90,
  sampleRateHz: 8000,
  channels: 1,
  hasVideo: false,
};
const asset = {
  id: "an-asset",
  clientId: "client",
  name: "a.wav",
  format: "wav",
  sizeBytes: 1,
  blobKey: "a",
  media,
};

function makePorts(rates: Record<string, number>): CheckPorts {
  return {
    installed,
    grants: {
      listGrants: async () =>
        Object.entries(rates).map(([model, creditsPerMinute]) => ({ model, creditsPerMinute })),
    },
    assets: { findAsset: async () => ({ ...asset, createdAt: new Date() }) } as Partial<
      CheckPorts["assets"]
    > as CheckPorts["assets"],
    media: { look: async () => media, findOutputFault: () => undefined },
    urls: { check: () => {}, findStored: () => undefined },
    integrations: {} as CheckPorts["integrations"],
    vault: {} as CheckPorts["vault"],
    transcriptReader: {} as CheckPorts["transcriptReader"],
    quota: noQuota,
    sizeLimits: { decodedMaxBytes: 1e9 },
  };
}
const caller = { keyId: "key", clientId: "client", role: "client" as const };
const targets = ["alignment", "transcription"].map((model) => ({ model, formats: ["json"] }));

describe("the estimate of a pair", () => {
  it("[C2] [T12] shows 1.5 a minute, for two started minutes", async () => {
    expect(await estimateTask(makePorts({}), caller, { assetId: asset.id, targets })).toEqual({
      duration: 90,
      creditsPerMinute: 1.5,
      cost: 3,
      targets: [
        { model: "alignment", creditsPerMinute: 1, cost: 2 },
        { model: "transcription", creditsPerMinute: 0.5, cost: 1 },
      ],
    });
  });

  it("[C2] [T12] keeps the ratio at negotiated rates", async () => {
    const ports = makePorts({ alignment: 0.2, transcription: 0.6 });
    expect(await estimateTask(ports, caller, { url: "https://media.example/a.wav", targets })).toEqual({
      creditsPerMinute: 0.6,
      targets: [
        { model: "alignment", creditsPerMinute: 0.2 },
        { model: "transcription", creditsPerMinute: 0.4 },
      ],
    });
  });
});

describe("the estimate's duration", () => {
  it("[T12] is rounded up to the millisecond", async () => {
    const ports = makePorts({});
    const facts = { ...media, durationSeconds: 200.50002267573697 };
    const { duration, cost } = await estimateTask(
      {
        ...ports,
        assets: {
          ...ports.assets,
          findAsset: async () => ({ ...asset, media: facts, createdAt: new Date() }),
        },
      },
      caller,
      { assetId: asset.id, targets },
    );
    expect([duration, cost]).toEqual([200.501, 6]);
  });
});
