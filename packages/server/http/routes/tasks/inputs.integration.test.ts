import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { asset as assetSchema, type Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { makeVideo } from "../../../../engine/media/support/make-video.ts";

let api: TestApi;
let soundId: string;
beforeAll(async () => {
  api = await startTestApi();
  soundId = await upload(toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 })), "a.wav");
});
afterAll(() => api.close());

async function upload(content: Uint8Array | string, filename: string): Promise<string> {
  return assetSchema.parse(await (await api.upload(content, filename)).json()).id;
}
const create = (assetId: string, target: object) => api.post("/tasks", { assetId, targets: [target] });
const refusalOf = async (response: Response) => {
  const { code, message, details } = (await response.json()) as {
    code: string;
    message: string;
    details: { path: string }[];
  };
  return { status: response.status, code, message, path: details[0]?.path };
};

describe("an asset with video that mp4 can't hold", () => {
  it("[O10] [T6] is refused for mp4 when the Task is created, and accepted for other formats", async () => {
    const path = join(api.dataDir, "vp8.mkv");
    makeVideo(path, 20, { encoder: "libvpx", muxer: "matroska", soundSeconds: 1 });
    const id = await upload(await readFile(path), "vp8.mkv");
    for (const route of ["/tasks", "/tasks/estimate"]) {
      const targets = [{ model: "vocals", formats: ["wav", "mp4"] }];
      expect(await refusalOf(await api.post(route, { assetId: id, targets }))).toEqual({
        status: 400,
        code: "FORMAT_UNSUPPORTED",
        message: expect.stringMatching(/vp8.*Ask for m4a/),
        path: "targets[0].formats[1]",
      });
    }
    expect((await create(id, { model: "vocals", formats: ["wav", "m4a"] })).status).toBe(200);
  });
});

describe("an asset with more than eight channels", () => {
  it("[A6] [T6] is accepted, except for flac", async () => {
    const id = await upload(
      toWav(makeTone({ sampleRateHz: 8000, channels: 12, lengthFrames: 800 })),
      "a.wav",
    );
    expect((await create(id, { model: "vocals", formats: ["wav", "aiff", "mp3"] })).status).toBe(200);
    expect((await create(id, { model: "transcription", formats: ["json"] })).status).toBe(200);
    expect(await refusalOf(await create(id, { model: "vocals", formats: ["flac"] }))).toMatchObject({
      status: 400,
      code: "FORMAT_UNSUPPORTED",
      message: expect.stringContaining("flac holds at most 8 channels"),
    });
  });
});

describe("a stored transcript", () => {
  const align = async (content: Uint8Array | string, filename = "words.txt") =>
    create(soundId, {
      model: "alignment",
      formats: ["json"],
      transcriptAssetId: await upload(content, filename),
    });

  it.each([
    ["blank", " \n", "empty"],
    ["Latin-1", Buffer.from("Grüße", "latin1"), "UTF-8"],
    ["UTF-16 without its mark", Buffer.from("Hello", "utf16le"), "UTF-16"],
  ])("[Z5] that is %s is refused when the Task is created", async (_, content, says) => {
    expect(await refusalOf(await align(content))).toEqual({
      status: 400,
      code: "TRANSCRIPT_UNUSABLE",
      message: expect.stringContaining(says),
      path: "targets[0].transcriptAssetId",
    });
  });

  it.each([
    ["txt", "words.txt", "Hello"],
    ["UTF-16 with its mark", "words.txt", Buffer.from("\ufeffHello", "utf16le")],
    ["json with segments", "words.json", '{ "segments": [{ "text": " Hello" }] }'],
    ["a file without an extension", "words", "Hello"],
  ])("[Z1] that is %s is taken", async (_, filename, content) => {
    expect((await align(content, filename)).status).toBe(200);
  });

  it("[Z5] that is json without a text is refused", async () => {
    expect(await refusalOf(await align("{}", "words.json"))).toMatchObject({ code: "TRANSCRIPT_UNUSABLE" });
  });
});

describe("a transcript in a bucket", () => {
  it("[N10] [Z5] needs a storage integration, and must be in its bucket", async () => {
    const target = { model: "alignment", formats: ["json"], transcriptUrl: "s3://music/words.txt" };
    expect(await refusalOf(await create(soundId, target))).toMatchObject({
      code: "STORAGE_INTEGRATION_REQUIRED",
      path: "targets[0].transcriptUrl",
    });
    const storage = await api.post("/storage-integrations", {
      type: "s3",
      storageName: "music",
      authConfig: {
        endpoint: "https://s3.example",
        region: "eu-west-1",
        accessKeyId: "id",
        secretAccessKey: "secret",
      },
    });
    const { id: storageIntegrationId } = (await storage.json()) as { id: string };
    const post = (transcriptUrl: string) =>
      api.post("/tasks", {
        assetId: soundId,
        storageIntegrationId,
        targets: [{ ...target, transcriptUrl }],
      });
    expect((await post("s3://music/words.txt")).status).toBe(200);
    expect(await refusalOf(await post("s3://other/words.txt"))).toMatchObject({
      code: "STORAGE_BUCKET_MISMATCH",
      path: "targets[0].transcriptUrl",
    });
    expect(await refusalOf(await post("gs://music/words.txt"))).toMatchObject({
      code: "STORAGE_BUCKET_MISMATCH",
    });
  });
});

describe("echoed fields", () => {
  it("[V6] [T5] a language in any case and with a region is accepted, and returned as given", async () => {
    const task = (await (
      await create(soundId, { model: "transcription", formats: ["json"], language: "en-US" })
    ).json()) as Task;
    expect(task.targets[0]?.language).toBe("en-US");
  });

  it("[U2] a login in a URL is never shown, not even if the URL is refused", async () => {
    const target = {
      model: "alignment",
      formats: ["json"],
      transcriptUrl: "https://ann:s3cret@media.example/words.txt",
    };
    const response = await api.post("/tasks", {
      url: "https://bob:s3cret@media.example/a.wav",
      targets: [target],
    });
    const task = (await response.json()) as Task;
    expect(task.url).toBe("https://media.example/a.wav");
    expect(task.targets[0]?.transcriptUrl).toBe("https://media.example/words.txt");
    const stored = await api.database.pool.query(
      "select target_id, sealed_login from task_sources where task_id = $1 order by target_id nulls first",
      [task.id],
    );
    expect(stored.rows.map(({ target_id }) => target_id)).toEqual([null, task.targets[0]?.id]);
    expect(stored.rows.every(({ sealed_login }) => !String(sealed_login).includes("s3cret"))).toBe(true);
    const refused = await api.post("/tasks", { url: "https://bob:s3cret@10.0.0.1/a.wav", targets: [target] });
    expect(refused.status).toBe(400);
    const seen = JSON.stringify([
      task,
      await refused.json(),
      await (await api.call("/tasks")).json(),
      api.logLines,
    ]);
    expect(seen).not.toMatch(/s3cret|bob|ann:/);
  });
});

describe("an asset with more tags than are read", () => {
  it("[A31] [T6] is refused without a second look", async () => {
    const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
    const tag = Buffer.from("IAAA\x02\0\0\0x\0", "latin1");
    const list = Buffer.concat([Buffer.from("INFO"), ...new Array<Buffer>(2001).fill(tag)]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(list.length);
    const id = await upload(Buffer.concat([song, Buffer.from("LIST"), size, list]), "a.wav");
    const refusal = {
      status: 400,
      code: "MEDIA_UNREADABLE",
      message: expect.stringContaining("more than 2000 tags") as string,
    };
    expect(await refusalOf(await create(id, { model: "vocals", formats: ["wav"] }))).toMatchObject(refusal);
    await rm(join(api.dataDir, "blobs", "assets", id), { recursive: true });
    for (const route of ["/tasks", "/tasks/estimate"]) {
      const targets = [{ model: "vocals", formats: ["wav"] }];
      expect(await refusalOf(await api.post(route, { assetId: id, targets }))).toMatchObject(refusal);
    }
  });
});
