import { asset as assetSchema, taskEstimate } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";

let api: TestApi;
let assetId: string;
beforeAll(async () => {
  api = await startTestApi();
  const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 12_000 }));
  assetId = assetSchema.parse(await (await api.upload(content, "a.wav")).json()).id;
});
afterAll(() => api.close());

const vocals = { model: "vocals", formats: ["wav"] };
const better = { model: "instrumental", variant: "high_quality", formats: ["wav"] };
const drums = { model: "drums", formats: ["flac"] };
const ofOther = [
  "guitar",
  "other-x-guitar",
  "guitar_electric",
  "guitar_acoustic",
  "piano",
  "keys",
  "strings",
  "wind",
];

describe("estimating a Task", () => {
  it("[T12] returns cost and duration, and stores nothing", async () => {
    await api.database.pool.query("insert into model_grants values ($1, 'drums', null, 0.25)", [
      api.account.clientId,
    ]);
    const response = await api.post("/tasks/estimate", { assetId, targets: [vocals, drums, better] });
    expect(response.status).toBe(200);
    const estimate: unknown = await response.json();
    expect(taskEstimate.parse(estimate)).toEqual(estimate);
    expect(estimate).toEqual({
      duration: 1.5,
      creditsPerMinute: 2.75,
      cost: 2.75,
      targets: [
        { model: "vocals", creditsPerMinute: 1, cost: 1 },
        { model: "drums", creditsPerMinute: 0.25, cost: 0.25 },
        { model: "instrumental", variant: "high_quality", creditsPerMinute: 1.5, cost: 1.5 },
      ],
    });
    expect((await api.call("/tasks")).headers.get("x-total-count")).toBe("0");
  });

  it("[T12] counts each part of the other stem, whatever it is made from", async () => {
    const targets = ofOther.map((model) => ({ model, formats: ["wav"] }));
    const response = await api.post("/tasks/estimate", { assetId, targets });
    expect(await response.json()).toEqual({
      duration: 1.5,
      creditsPerMinute: 8,
      cost: 8,
      targets: ofOther.map((model) => ({ model, creditsPerMinute: 1, cost: 1 })),
    });
  });

  it("[T12] returns only the rates if the length is unknown", async () => {
    const response = await api.post("/tasks/estimate", {
      url: "https://media.example/a.wav",
      targets: [vocals],
    });
    expect(await response.json()).toEqual({
      creditsPerMinute: 1,
      targets: [{ model: "vocals", creditsPerMinute: 1 }],
    });
  });

  it.each([
    ["INPUT_MISSING", 400, { targets: [vocals] }],
    ["TARGETS_DUPLICATE", 400, { assetId: "x", targets: [vocals, vocals] }],
    ["MODEL_NOT_GRANTED", 403, { assetId: "x", targets: [{ model: "multi_voice", formats: ["wav"] }] }],
    ["ASSET_UNKNOWN", 404, { assetId: "nothing-of-that-id", targets: [vocals] }],
    ["URL_NOT_ALLOWED", 400, { url: "https://127.0.0.1/a.wav", targets: [vocals] }],
  ])("[T12] is refused as the Task would be: %s", async (code, status, body) => {
    for (const path of ["/tasks/estimate", "/tasks"]) {
      const response = await api.post(path, body);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
    }
  });

  it("[E2] has no GET", async () => {
    const response = await api.call("/tasks/estimate");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toContain("POST");
  });
});
