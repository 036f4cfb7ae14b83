import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asset as assetSchema, type Task, type TaskRequest, task as taskSchema } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { beginRun } from "../../../../../test/support/begin-run.ts";
import { breakFolder } from "../../../../../test/support/break-folder.ts";
import { makeTempDir } from "../../../../../test/support/temp-dir.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { killMediaChild } from "../../../../engine/media/support/kill-media-child.ts";
import { makeVideo } from "../../../../engine/media/support/make-video.ts";
import { StemCache } from "../../../../engine/separation/stem-cache.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";

let api: TestApi;
let assetId: string;
beforeAll(async () => {
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" });
  assetId = await upload(
    toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 4410 })),
    "tone.wav",
  );
});
afterAll(() => api.close());

async function upload(content: Uint8Array | string, filename: string): Promise<string> {
  return assetSchema.parse(await (await api.upload(content, filename)).json()).id;
}

const vocals = { model: "vocals", formats: ["wav"] };
const post = (body: Partial<TaskRequest> | Record<string, unknown>) =>
  api.post("/tasks", { assetId, targets: [vocals], ...body });
const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
};

describe("creating a Task", () => {
  it("[T5] [G5] returns the Task with its targets in processing", async () => {
    const response = await post({
      targets: [
        { ...vocals, residual: true },
        { model: "drums", formats: ["flac", "mp3"] },
      ],
    });
    expect(response.status).toBe(200);
    const body = (await response.json()) as Task;
    expect(taskSchema.parse(body)).toEqual(body);
    expect(Object.keys(body).sort()).toEqual([
      "assetId",
      "clientId",
      "completedAt",
      "createdAt",
      "id",
      "targets",
    ]);
    expect(body).toMatchObject({ assetId, clientId: api.account.clientId, completedAt: null });
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const waiting = { status: "processing", output: [], progress: 0, queuePosition: 1 };
    expect(body.targets.map(({ id: _, ...target }) => target)).toEqual([
      { model: "vocals", formats: ["wav"], residual: true, ...waiting },
      { model: "drums", formats: ["flac", "mp3"], ...waiting },
    ]);
    expect(await (await api.call(`/tasks/${body.id}`)).json()).toEqual(body);
  });

  it("[Q1] writes everything or nothing", async () => {
    await api.database.pool.query("alter table targets rename to targets_away");
    const count = async () => (await api.database.pool.query("select count(*) from tasks")).rows[0].count;
    const before = await count();
    try {
      expect((await post({})).status).toBe(500);
      expect(await count()).toBe(before);
    } finally {
      await api.database.pool.query("alter table targets_away rename to targets");
    }
  });

  it.each([
    ["x", "plain"],
    [`${"😀".repeat(4095)}"`, "4096 characters of emoji and quotes"],
    ['{"a":"\\u0000 \0 \\" \ud800 \u2028"}', "control characters, a lone surrogate and line separators"],
    ["", "nothing"],
  ])("[T4] gives metadata back byte for byte: %#", async (metadata) => {
    const created = (await (await post({ metadata })).json()) as Task;
    expect(created.metadata).toBe(metadata);
    expect(((await (await api.call(`/tasks/${created.id}`)).json()) as Task).metadata).toBe(metadata);
  });

  const many = Array.from({ length: 20 }, (_, i) => ({
    model: "vocals",
    formats: ["wav"],
    residual: i % 2 === 0,
    bitDepth: [16, 24, 32][i % 3],
    variant: `v${i}`,
  }));
  it.each<[string, number, Record<string, unknown>]>([
    ["INPUT_MISSING", 400, { assetId: undefined }],
    ["INPUT_AMBIGUOUS", 400, { url: "https://example.com/a.wav" }],
    ["TARGETS_TOO_FEW", 400, { targets: [] }],
    ["TARGETS_TOO_MANY", 400, { targets: [...many, vocals] }],
    ["VARIANT_UNKNOWN", 400, { targets: many }],
    ["TARGETS_DUPLICATE", 400, { targets: [vocals, vocals] }],
    ["MODEL_UNKNOWN", 400, { targets: [{ model: "nope", formats: ["wav"] }] }],
    ["FORMATS_EMPTY", 400, { targets: [{ model: "vocals", formats: [] }] }],
    ["FORMAT_UNSUPPORTED", 400, { targets: [{ model: "vocals", formats: ["ogg"] }] }],
    ["METADATA_TOO_LONG", 400, { metadata: "x".repeat(4097) }],
    ["REQUEST_INVALID", 400, { targets: "vocals" }],
    ["REQUEST_INVALID", 400, { targets: [{ model: "vocals" }] }],
    ["REQUEST_INVALID", 400, { targets: [{ ...vocals, residual: "yes" }] }],
    ["REQUEST_INVALID", 400, { assetId: 7 }],
    ["REQUEST_INVALID", 400, { targets: [{ ...vocals, variant: "a\0b" }] }],
    ["MODEL_NOT_GRANTED", 403, { targets: [{ model: "multi_voice", formats: ["wav"] }] }],
    ["MODEL_NOT_INSTALLED", 409, { targets: [{ model: "vocals_lead", formats: ["wav"] }] }],
    ["ASSET_UNKNOWN", 404, { assetId: "nothing-of-that-id" }],
    ["ASSET_UNKNOWN", 404, { assetId: "UPPER" }],
    ["REQUEST_INVALID", 400, { assetId: "" }],
    ["REQUEST_INVALID", 400, { storageIntegrationId: "" }],
    ["REQUEST_INVALID", 400, { targets: [{ model: "alignment", formats: ["json"], transcriptAssetId: "" }] }],
    ["URL_INVALID", 400, { assetId: undefined, url: "ftp://example.com/a.wav" }],
    ["URL_INVALID", 400, { assetId: undefined, url: "not a url" }],
    ["URL_NOT_ALLOWED", 400, { assetId: undefined, url: "http://example.com/a.wav" }],
    ["URL_NOT_ALLOWED", 400, { assetId: undefined, url: "https://169.254.169.254/" }],
    ["STORAGE_INTEGRATION_REQUIRED", 400, { assetId: undefined, url: "s3://bucket/key" }],
    ["STORAGE_INTEGRATION_REQUIRED", 400, { writeDestination: "s3://bucket/key" }],
    ["WRITE_DESTINATION_INVALID", 400, { writeDestination: "s3://bucket/key", storageIntegrationId: "abc" }],
    [
      "WRITE_DESTINATION_INVALID",
      400,
      {
        assetId: undefined,
        url: "https://x.example/a",
        writeDestination: "s3://bucket",
        storageIntegrationId: "abc",
      },
    ],
    [
      "STORAGE_INTEGRATION_UNKNOWN",
      404,
      { assetId: undefined, url: "s3://bucket/key", storageIntegrationId: "abc" },
    ],
  ])("[T1] [T2] [T3] [M2] is refused with %s", async (code, status, body) => {
    expect(await codeOf(await post(body))).toEqual([status, code]);
  });

  it("[T5] [U2] returns URLs as given, without their login, however long they are once escaped", async () => {
    const account = await api.addAccount();
    const long = `example.com/${"é".repeat(1000)}`;
    const targets = [{ model: "alignment", formats: ["json"], transcriptUrl: ` https://u:p@${long}` }];
    const given = { url: `https://u:p@${long}\n`, targets };
    const created = (await (await api.post("/tasks", given, account)).json()) as Task;
    expect(created).toMatchObject({
      url: `https://${long}\n`,
      targets: [{ transcriptUrl: ` https://${long}` }],
    });
    expect(await (await api.call("/tasks", account)).json()).toHaveLength(1);
  });

  it("[T5] a stored value beyond the limits of requests is still returned", async () => {
    const account = await api.addAccount();
    const given = { url: "https://example.com/a.wav", targets: [vocals] };
    const { id } = (await (await api.post("/tasks", given, account)).json()) as Task;
    const text = "x".repeat(5000);
    const options = { variant: text, language: text, transcriptUrl: text, transcriptAssetId: text };
    const stored = { ...options, prompt: text, keywords: Array(200).fill(text) };
    await api.database.pool.query("update targets set options = $2 where task_id = $1", [id, stored]);
    const task = (await (await api.call(`/tasks/${id}`, account)).json()) as Task;
    expect(task.targets).toMatchObject([stored]);
  });

  it.each([
    { model: "transcription", formats: ["txt"], prompt: "a\ud800" },
    { model: "transcription", formats: ["txt"], keywords: ["\udc00a"] },
    { model: "transcription", formats: ["txt"], language: "\ud800" },
    { model: "alignment", formats: ["txt"], transcriptUrl: "https://example.com/\ud800" },
    { ...vocals, variant: "\ud800" },
  ])("[E7] half of a surrogate pair is refused: %j", async (target) => {
    const response = await post({ targets: [target] });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain("half of a surrogate pair");
  });

  it("[G3] ignores unknown fields", async () => {
    expect((await post({ colour: "blue", targets: [{ ...vocals, colour: "red" }] })).status).toBe(200);
  });

  it("[E4] someone else's asset is unknown", async () => {
    const other = await api.addAccount();
    expect(await codeOf(await api.post("/tasks", { assetId, targets: [vocals] }, other))).toEqual([
      404,
      "ASSET_UNKNOWN",
    ]);
  });

  it("[M3] a negotiated rate and a grant apply to their client", async () => {
    const other = await api.addAccount();
    await api.database.pool.query(
      "insert into model_grants values ($1, 'vocals', 'requestAccess', null), ($1, 'drums', null, 0.25)",
      [other.clientId],
    );
    const { models } = (await (await api.call("/models", other)).json()) as {
      models: { id: string; access: string; creditsPerMinute: number }[];
    };
    expect(models.find(({ id }) => id === "vocals")?.access).toBe("requestAccess");
    expect(models.find(({ id }) => id === "drums")?.creditsPerMinute).toBe(0.25);
    expect(await codeOf(await api.post("/tasks", { assetId, targets: [vocals] }, other))).toEqual([
      403,
      "MODEL_NOT_GRANTED",
    ]);
  });
});

describe("an unusable asset", () => {
  const corrupt = toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 100 })).fill(0xff, 0, 60);
  it.each<[string, string, Uint8Array | string]>([
    ["text named .mp3", "notes.mp3", "Dear diary, today I tried to separate a text file.\n".repeat(100)],
    ["corrupt media", "corrupt.wav", corrupt],
    ["random bytes", "noise.mp4", Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251)],
    [
      "a header and nothing else",
      "header.wav",
      toWav({ sampleRateHz: 44_100, channels: [new Float32Array(0)] }),
    ],
    ["a transcript", "words.txt", "just words"],
    ["a playlist", "list.mp4", "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:10,\nfile:///etc/passwd\n"],
  ])("[T6] %s is refused when the Task is created", async (_title, filename, content) => {
    const id = await upload(content, filename);
    const [status, code] = await codeOf(await api.post("/tasks", { assetId: id, targets: [vocals] }));
    expect(status).toBe(400);
    expect(code).toMatch(/^MEDIA_/);
    expect(await codeOf(await api.post("/tasks", { assetId: id, targets: [vocals] }))).toEqual([
      status,
      code,
    ]);
  });

  it("[Q6] a killed probe is not the asset's fault: 503, and the next may succeed", async () => {
    const id = await upload(
      toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 })),
      "sound.wav",
    );
    const create = () => api.post("/tasks", { assetId: id, targets: [vocals] });
    const [refused] = await Promise.all([create(), killMediaChild()]);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await codeOf(refused)).toEqual([503, "UNAVAILABLE"]);
    expect((await create()).status).toBe(200);
  });

  it("[T6] a video without audio is refused as such", async () => {
    const folder = await makeTempDir("video");
    makeVideo(join(folder, "silent.mp4"), 25);
    const id = await upload(await readFile(join(folder, "silent.mp4")), "silent.mp4");
    await rm(folder, { recursive: true });
    expect(await codeOf(await api.post("/tasks", { assetId: id, targets: [vocals] }))).toEqual([
      400,
      "MEDIA_NO_AUDIO",
    ]);
  });

  it("[T6] a single sample is enough, none is not", async () => {
    const answers = [0, 1].map(async (lengthFrames) => {
      const id = await upload(
        toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames })),
        "short.wav",
      );
      return await api.post("/tasks", { assetId: id, targets: [vocals] });
    });
    const [none, one] = await Promise.all(answers);
    expect(none && (await codeOf(none))).toEqual([400, "MEDIA_NO_AUDIO"]);
    expect(one?.status).toBe(200);
  });

  it("[T6] more than three hours of it are too long for a stem", async () => {
    const id = await upload(
      toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 })),
      "long.wav",
    );
    // The probe result for a file of that length; the file itself would have 350 MB.
    const durationSeconds = 3 * 3600 + 1;
    await api.database.pool.query("update assets set media = $2 where id = $1", [
      id,
      { isReadable: true, durationSeconds, sampleRateHz: 8000, channels: 1, hasVideo: false },
    ]);
    expect(await codeOf(await api.post("/tasks", { assetId: id, targets: [vocals] }))).toEqual([
      400,
      "MEDIA_TOO_LONG",
    ]);
  });
});

describe("reading Tasks", () => {
  it("[L1] [L2] lists them newest first with the total", async () => {
    const account = await api.addAccount();
    const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
    const { id } = assetSchema.parse(await (await api.upload(content, "a.wav", account)).json());
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const created = (await (
        await api.post("/tasks", { assetId: id, targets: [vocals] }, account)
      ).json()) as Task;
      ids.unshift(created.id);
    }
    const response = await api.call("/tasks?take=2", account);
    expect(response.headers.get("x-total-count")).toBe("3");
    expect(((await response.json()) as Task[]).map((task) => task.id)).toEqual(ids.slice(0, 2));
  });

  describe("that match", () => {
    let account: Awaited<ReturnType<TestApi["addAccount"]>>;
    const named: Record<string, string> = {};
    beforeAll(async () => {
      account = await api.addAccount();
      const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
      const { id } = assetSchema.parse(await (await api.upload(content, "Blue 50%.wav", account)).json());
      const create = async (name: string, body: Record<string, unknown>) => {
        const created = await api.post("/tasks", { targets: [vocals], ...body }, account);
        named[((await created.json()) as Task).id] = name;
      };
      await create("cancelled", { assetId: id });
      const [cancelled] = Object.keys(named);
      await api.post(`/tasks/${cancelled}/cancel`, {}, account);
      await create("drums", { assetId: id, targets: [{ model: "drums", formats: ["wav"] }] });
      await create("noted", { url: "https://a.example/Song.mp3", metadata: 'batch "ä"' });
    });

    it.each([
      ["status=processing", ["noted", "drums"]],
      ["status=error", ["cancelled"]],
      ["status=completed", []],
      ["model=drums", ["drums"]],
      ["search=BLUE", ["drums", "cancelled"]],
      ["search=50%25", ["drums", "cancelled"]],
      ["search=song.MP3", ["noted"]],
      ["search=batch%20%22%C3%84%22", ["noted"]],
      ["search=blue&model=vocals&status=error", ["cancelled"]],
      ["search=blue&skip=1&take=1", ["cancelled"], 2],
      ["search=nothing", []],
      ["createdAfter=2020-01-31", ["noted", "drums", "cancelled"]],
      ["createdAfter=2020-01-31T09:30:00%2B02:00&model=drums", ["drums"]],
      ["createdBefore=2020-01-31T09:30:00.5Z", []],
      ["createdAfter=9999-12-31", []],
      ["search=", ["noted", "drums", "cancelled"]],
    ])("[L4] are listed: %s", async (query, names, total = names.length) => {
      const response = await api.call(`/tasks?${query}`, account);
      const ids = ((await response.json()) as Task[]).map(({ id }) => id);
      expect(ids.map((id) => named[id])).toEqual(names);
      expect(response.headers.get("x-total-count")).toBe(String(total));
      expect(await (await api.call(`/tasks?${query}`, await api.addAccount())).json()).toEqual([]);
    });

    it("[L4] [J8] by the name of the output that is their input", async () => {
      const client = await api.addAccount();
      const create = async (body: object) =>
        (await (await api.post("/tasks", { targets: [vocals], ...body }, client)).json()) as Task;
      const { id: taskId, targets } = await create({ url: "https://a.example/a.mp3" });
      const targetId = targets[0]?.id ?? "";
      const blobKey = `outputs/${taskId}/${targetId}/Vocals.wav`;
      const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
      await mkdir(join(api.dataDir, "blobs", "outputs", taskId, targetId), { recursive: true });
      await writeFile(join(api.dataDir, "blobs", blobKey), content);
      await beginRun(api.database.db, taskId);
      const output = [{ name: "Vocals", format: "wav", blobKey, sizeBytes: content.length }];
      const end = { status: "completed" as const, durationSeconds: 1, output };
      await api.database.db.transaction().execute((tx) => endTarget(tx, { taskId, targetId, end }));
      const next = await create({ assetId: `${targetId}-0` });
      const idsOf = async (search: string) =>
        ((await (await api.call(`/tasks?search=${search}`, client)).json()) as Task[]).map(({ id }) => id);
      expect(await idsOf("vocals.WAV")).toEqual([next.id]);
      expect(await idsOf("vocals.flac")).toEqual([]);
    });

    it("[L4] created from the first time on, and before the second", async () => {
      const all = (await (await api.call("/tasks", account)).json()) as Task[];
      const [newest, middle, oldest] = all;
      const between = async (after = "", before = "") =>
        (
          (await (
            await api.call(`/tasks?createdAfter=${after}&createdBefore=${before}`, account)
          ).json()) as Task[]
        ).map(({ id }) => id);
      expect(await between(oldest?.createdAt, newest?.createdAt)).toEqual([middle?.id, oldest?.id]);
      expect(await between(middle?.createdAt, middle?.createdAt)).toEqual([]);
      for (const wrong of ["yesterday", "2026-02-30", "2026-01-31T09:30", ""])
        expect((await api.call(`/tasks?createdAfter=${wrong}`, account)).status).toBe(400);
    });

    it("[L4] by id, and rejects an unknown status", async () => {
      const [id = ""] = Object.keys(named);
      expect(await (await api.call(`/tasks?search=${id.slice(3, 15)}`, account)).json()).toMatchObject([
        { id },
      ]);
      expect((await api.call("/tasks?status=done", account)).status).toBe(400);
    });
  });

  it("[E4] [T10] another client's Task can be neither read nor deleted; one's own is gone after DELETE", async () => {
    const { id } = (await (await post({})).json()) as Task;
    const other = await api.addAccount();
    expect((await api.call(`/tasks/${id}`, other)).status).toBe(404);
    expect((await api.call(`/tasks/${id}`, { method: "DELETE", ...other })).status).toBe(404);
    expect((await api.call(`/tasks/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await api.call(`/tasks/${id}`)).status).toBe(404);
  });

  it("[T10] a Task is gone at once even if its files can't be removed yet, and DELETE can be repeated", async () => {
    const { id } = (await (await post({})).json()) as Task;
    const remove = () => api.call(`/tasks/${id}`, { method: "DELETE" });
    const outputsDir = join(api.dataDir, "blobs", "outputs");
    await mkdir(join(outputsDir, id), { recursive: true });
    const repair = await breakFolder(outputsDir);
    const { status } = await remove();
    await repair();
    expect(status).toBe(503);
    expect((await api.call(`/tasks/${id}`)).status).toBe(404);
    expect((await remove()).status).toBe(200);
    expect(await readdir(outputsDir)).not.toContain(id);
    expect((await remove()).status).toBe(404);
  });

  it("[P3] DELETE removes the stems that were kept for the Task", async () => {
    const { id } = (await (await post({})).json()) as Task;
    const stemsDir = join(api.dataDir, "cache", "stems");
    const spool = join(api.dataDir, "spool");
    await writeFile(spool, "stem");
    const finished = { madeFrom: { input: "a" }, stem: "vocals", path: spool };
    new StemCache(stemsDir, 1000).keep(finished, { scope: api.account.clientId, owner: id });
    expect(await readdir(stemsDir)).toHaveLength(1);
    await api.call(`/tasks/${id}`, { method: "DELETE" });
    expect(await readdir(stemsDir)).toEqual([]);
  });
});
