import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import {
  type LegacyAsset,
  type LegacyJob,
  type LegacyUsage,
  legacyAsset,
  legacyJob,
  legacyUsage,
  newLegacyJob,
  type Task,
} from "@stemwright/contract";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { beginRun } from "../../../../test/support/begin-run.ts";
import { type Receiver, startReceiver } from "../../../../test/support/receiver.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../test/support/test-api.ts";
import { openFileBlobs } from "../../blobs/file-blobs.ts";
import { parseKeysCommand } from "../../commands/keys-command.ts";
import { insertKey, listKeys, revokeKey } from "../../db/accounts/key-rows.ts";
import { endTarget } from "../../db/tasks/target-ends.ts";
import { makeKey } from "../../domain/accounts/key-secrets.ts";
import type { TargetEnd } from "../../domain/tasks/task-record.ts";

let api: TestApi;
let account: TestAccount;
let token: string;
let receiver: Receiver;
let song: LegacyAsset;
const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));

beforeAll(async () => {
  const options = { retryDelaysMs: [50, 50, 50], pollIntervalMs: 50 };
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1", UPLOAD_MAX_BYTES: "100000" }, options);
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
  token = await addToken(account.clientId);
  receiver = await startReceiver();
  song = await read<LegacyAsset>(upload("song.wav"));
});
afterEach(() => receiver.close());

async function addToken(clientId: string): Promise<string> {
  const secret = makeKey();
  await insertKey(api.database.db, { clientId, name: "Token", role: "client", kind: "legacy", secret });
  return secret;
}

type Sent = { method?: string; body?: unknown; authorization?: string | null };
const bearer = () => `Bearer ${token}`;
const call = (path: string, { method, body, authorization = bearer() }: Sent = {}) =>
  api.call(path, {
    key: null,
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
const makeForm = (filename: string, content: Uint8Array<ArrayBuffer> = new Uint8Array(wav)) => {
  const form = new FormData();
  form.append("file", new File([content], filename));
  return form;
};
const upload = (filename: string) => call("/upload", { body: makeForm(filename) });

async function read<Body>(answer: Response | Promise<Response>): Promise<Body> {
  const response = await answer;
  const body = (await response.json()) as Body;
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}
const errorOf = async (answer: Promise<Response>) => {
  const response = await answer;
  const { code, details } = (await response.json()) as { code: string; details?: { path: string }[] };
  return { status: response.status, code, ...(details ? { paths: details.map(({ path }) => path) } : {}) };
};

const metadata = { name: "vocals", format: "wav" };
const createJob = async (fields: object = {}) =>
  (await read<{ job: LegacyJob }>(call("/job", { body: { assetId: song.id, metadata, ...fields } }))).job;
const getJob = async (id: string) => (await read<{ job: LegacyJob }>(call(`/job/${id}`))).job;
const begin = (id: string) => beginRun(api.database.db, id);
async function end(id: string, how: TargetEnd): Promise<void> {
  const task = await read<Task>(api.call(`/tasks/${id}`, { key: account.key }));
  const targetId = task.targets[0]?.id ?? "";
  await api.database.db.transaction().execute((tx) => endTarget(tx, { taskId: id, targetId, end: how }));
}
const completed: TargetEnd = {
  status: "completed",
  durationSeconds: 90,
  output: [
    { name: "vocals", format: "wav", blobKey: "outputs/a/b/vocals.wav", sizeBytes: 4 },
    { name: "vocals_residual", format: "wav", blobKey: "outputs/a/b/vocals_residual.wav", sizeBytes: 4 },
  ],
};
const failed: TargetEnd = { status: "error", error: { code: 2004, message: "The model failed." } };

describe("tokens", () => {
  it.each(["/job", "/job/abc", "/usage"])(
    "[J1] %s needs one, and takes no API key in its header",
    async (path) => {
      expect(await errorOf(call(path, { authorization: null }))).toMatchObject({
        status: 401,
        code: "KEY_MISSING",
      });
      expect((await api.call(path, { key: account.key })).status).toBe(401);
      expect(await errorOf(call(path, { authorization: `Bearer ${makeKey()}` }))).toMatchObject({
        status: 401,
        code: "KEY_INVALID",
      });
    },
  );

  it("[J1] an ordinary key works too", async () => {
    const authorization = `Bearer ${account.key}`;
    const { job } = await read<{ job: LegacyJob }>(
      call("/job", { body: { assetId: song.id, metadata }, authorization }),
    );
    expect((await getJob(job.id)).id).toBe(job.id);
    expect((await call("/usage", { authorization })).status).toBe(200);
    expect((await call("/upload", { body: makeForm("b.wav"), authorization })).status).toBe(200);
  });

  it("[J1] one valid header of two is enough if the route takes both", async () => {
    const send = (path: string, key: string, authorization: string) =>
      api.call(path, {
        method: "POST",
        key,
        headers: { authorization, ...(path === "/job" ? { "content-type": "application/json" } : {}) },
        body: path === "/job" ? JSON.stringify({ assetId: song.id, metadata }) : makeForm("b.wav"),
      });
    expect((await send("/job", "unknown", bearer())).status).toBe(200);
    expect((await send("/upload", "unknown", bearer())).status).toBe(200);
    expect((await send("/upload", token, bearer())).status).toBe(200);
    expect((await send("/upload", account.key, "Bearer unknown")).status).toBe(200);
    expect((await send("/job", account.key, "Bearer unknown")).status).toBe(401);
    expect((await send("/upload", "unknown", "Bearer unknown")).status).toBe(401);
  });

  it("[J1] open no other route", async () => {
    for (const path of ["/tasks", "/assets", "/webhooks", "/models"])
      expect(await errorOf(api.call(path, { key: token }))).toMatchObject({
        status: 401,
        code: "KEY_INVALID",
      });
    expect((await call("/tasks")).status).toBe(401);
  });

  it("[J1] stop working when they are revoked", async () => {
    expect((await call("/job")).status).toBe(200);
    const key = (await listKeys(api.database.db)).find(
      ({ client_id, kind }) => client_id === account.clientId && kind === "legacy",
    );
    await revokeKey(api.database.db, key?.id ?? "");
    expect((await call("/job")).status).toBe(401);
  });

  it("[J1] are created on the command line", async () => {
    const lines: string[] = [];
    await parseKeysCommand(["create", "--legacy", "--name", "From support"])(api.database.db, (line) => {
      lines.push(line);
    });
    const authorization = `Bearer ${lines[0]}`;
    expect((await call("/job", { authorization })).status).toBe(200);
    await parseKeysCommand(["list"])(api.database.db, (line) => void lines.push(line));
    expect(lines.find((line) => line.includes("From support"))).toContain("legacy");
  });

  it("[J1] a known route with another method is 405", async () => {
    const response = await call("/job", { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toContain("POST");
  });
});

describe("uploads", () => {
  it("[J2] POST /upload stores an asset, with a token or a key", async () => {
    expect(legacyAsset.parse(song)).toEqual(song);
    expect(song).toMatchObject({ name: "song.wav", fileType: "audio/wav", format: "wav" });
    expect(Buffer.from(await (await fetch(song.link)).arrayBuffer())).toEqual(Buffer.from(wav));
    const byKey = await api.call("/upload", { method: "POST", body: makeForm("b.wav"), key: account.key });
    expect(byKey.status).toBe(200);
    expect((await api.call(`/assets/${song.id}`, { key: account.key })).status).toBe(200);
    const program = makeForm("song.exe", new Uint8Array(Buffer.from("MZ program")));
    expect(await errorOf(call("/upload", { body: program }))).toMatchObject({
      code: "UPLOAD_FORMAT_UNSUPPORTED",
    });
    expect((await call("/upload", { authorization: null, body: makeForm("c.wav") })).status).toBe(401);
  });

  it("[J2] POST /upload/link fetches a file, and names it after the link or as given", async () => {
    receiver.answer = (response) => response.end(wav);
    const source = receiver.url.replace("/hook", "/folder/My%20song.wav?x=1");
    const asset = await read<LegacyAsset>(call("/upload/link", { body: { link: source } }));
    expect(legacyAsset.parse(asset)).toMatchObject({ name: "My song.wav", format: "wav" });
    expect((await fetch(asset.link)).headers.get("content-length")).toBe(String(wav.length));
    const named = await read<LegacyAsset>(
      call("/upload/link", { body: { link: receiver.url, name: "b.flac" } }),
    );
    expect(named).toMatchObject({ name: "b.flac", fileType: "audio/flac" });
    const own = await read<LegacyAsset>(call("/upload/link", { body: { link: song.link } }));
    expect(own.id).not.toBe(song.id);
    const byKey = await api.post("/upload/link", { link: source }, { key: account.key });
    expect(byKey.status).toBe(200);
  });

  it("[J2] [A5] the name of a link is a label: it needs no extension, and is returned as given", async () => {
    receiver.answer = (response) => response.end(wav);
    const at = (path: string) => receiver.url.replace("/hook", path);
    const store = (path: string, name: string) =>
      read<LegacyAsset>(call("/upload/link", { body: { link: at(path), name } }));
    expect(await store("/a.wav", "voice memo")).toMatchObject({ name: "voice memo", format: "wav" });
    expect(await store("/a.flac", "Side A/1.mp3")).toMatchObject({ name: "Side A/1.mp3", format: "flac" });
    expect(await store("/download?id=7", "Grüße ")).toMatchObject({ name: "Grüße ", format: "wav" });
    expect(await store("/download", "b.mp4a")).toMatchObject({ name: "b.mp4a", format: "m4a" });
    receiver.answer = (response) => response.writeHead(200, { "content-type": "audio/flac" }).end(wav);
    expect(await store("/download", "x")).toMatchObject({ format: "flac" });
  });

  it("[J2] [A5] an upload without an extension is recognised by its type or content", async () => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(wav)]));
    expect(await read(call("/upload", { body: form }))).toMatchObject({ name: "blob", format: "wav" });
    expect(await read(upload("voice memo"))).toMatchObject({ name: "voice memo", format: "wav" });
    const job = await createJob({ assetId: (await read<LegacyAsset>(upload("voice memo"))).id });
    expect(job.status).toBe("created");
  });

  it("[J2] POST /upload/audio-link is the same under its older name", async () => {
    receiver.answer = (response) => response.end(wav);
    const link = receiver.url.replace("/hook", "/a.wav");
    const asset = await read<LegacyAsset>(call("/upload/audio-link", { body: { link } }));
    expect(legacyAsset.parse(asset)).toMatchObject({ name: "a.wav", format: "wav" });
  });

  it("[J2] [T16] a link whose server fails temporarily is retried", async () => {
    receiver.answer = (response, index) => (index === 0 ? response.writeHead(503).end() : response.end(wav));
    expect(await read(call("/upload/link", { body: { link: receiver.url } }))).toMatchObject({
      format: "wav",
    });
    expect(receiver.calls).toHaveLength(2);
  });

  it("[J2] [T17] [U2] a link is opened with its login, and decoded", async () => {
    receiver.answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(wav));
    const link = receiver.url.replace("http://", "http://ann:s3cret@").replace("/hook", "/a.wav");
    const asset = await read<LegacyAsset>(call("/upload/link", { body: { link } }));
    expect(receiver.calls[0]?.headers.authorization).toBe(`Basic ${btoa("ann:s3cret")}`);
    expect(Buffer.from(await (await fetch(asset.link)).arrayBuffer()).equals(wav)).toBe(true);
    expect(JSON.stringify([asset, api.logLines])).not.toContain("s3cret");
  });

  it("[U3] POST /upload/link reports a private and an unknown host alike", async () => {
    const closed = await startTestApi();
    const answerFor = async (host: string) => {
      const response = await closed.post("/upload/link", { link: `https://${host}/a.wav` });
      const { requestId: _, ...body } = (await response.json()) as { requestId: string; message: string };
      return { ...body, message: body.message.replaceAll(host, "HOST") };
    };
    const known = await answerFor("localhost");
    expect(known).toMatchObject({ statusCode: 400, code: "LINK_FETCH_FAILED" });
    expect(await answerFor("no-such-host.invalid")).toEqual(known);
    const refused = closed.logLines.filter((line) => line.includes("host is not public"));
    expect(refused.map((line) => /is not a public address|getaddrinfo/.exec(line)?.[0])).toEqual([
      "is not a public address",
      "getaddrinfo",
    ]);
    await closed.close();
  });

  it("[J2] POST /upload/link refuses what it may not or can't fetch, and stores nothing", async () => {
    const errorOfLink = (link: string, name = "a.wav") =>
      errorOf(call("/upload/link", { body: { link, name } }));
    expect(await errorOfLink("song.wav")).toMatchObject({ code: "URL_INVALID", paths: ["link"] });
    const notAllowed = { code: "URL_NOT_ALLOWED", paths: ["link"] };
    expect(await errorOfLink("https://10.0.0.1/a.wav")).toMatchObject(notAllowed);
    receiver.answer = (response) => response.writeHead(302, { location: "https://10.0.0.1/" }).end();
    expect(await errorOfLink(receiver.url)).toMatchObject(notAllowed);
    receiver.answer = (response) => response.writeHead(404).end();
    expect(await errorOfLink(receiver.url)).toMatchObject({ status: 400, code: "LINK_FETCH_FAILED" });
    receiver.answer = (response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x", () => response.destroy());
    };
    expect(await errorOfLink(receiver.url)).toMatchObject({ status: 400, code: "LINK_FETCH_FAILED" });
    receiver.answer = (response) => response.end(Buffer.alloc(100_001));
    expect(await errorOfLink(receiver.url)).toMatchObject({ status: 413, code: "UPLOAD_TOO_LARGE" });
    const gzip = (times: number) => ({ "content-encoding": new Array(times).fill("gzip").join(",") });
    receiver.answer = (response) =>
      response.writeHead(200, gzip(2)).end(gzipSync(Buffer.alloc(100_001, gzipSync(""))));
    expect(await errorOfLink(receiver.url)).toMatchObject({ status: 413, code: "UPLOAD_TOO_LARGE" });
    receiver.answer = (response) => response.writeHead(200, gzip(3000)).end();
    expect(await errorOfLink(receiver.url)).toMatchObject({ status: 400, code: "LINK_FETCH_FAILED" });
    receiver.answer = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    expect(await errorOfLink(receiver.url, "Song")).toMatchObject({ code: "UPLOAD_FORMAT_UNSUPPORTED" });
    const assets = await read<unknown[]>(api.call("/assets", { key: account.key }));
    expect(assets).toHaveLength(1);
  });

  it("[E6] a link that can't be stored is our failure, not the link's, and is logged", async () => {
    const partialDir = join(api.dataDir, "blobs", "partial");
    receiver.answer = (response) => response.end(wav);
    await rm(partialDir, { recursive: true });
    try {
      const refused = call("/upload/link", { body: { link: receiver.url, name: "a.wav" } });
      expect(await errorOf(refused)).toMatchObject({ status: 500, code: "INTERNAL" });
      expect(api.logLines.some((line) => line.includes("ENOENT"))).toBe(true);
    } finally {
      await mkdir(partialDir);
    }
  });
});

describe("jobs", () => {
  it("[J3] are created with their fields, and are Tasks underneath", async () => {
    const callbackUrl = receiver.url;
    const options = { ...metadata, residual: true };
    const job = await createJob({ callbackUrl, metadata: options });
    expect(newLegacyJob.parse(job)).toEqual(job);
    expect(job).toEqual({
      id: job.id,
      clientId: account.clientId,
      requestId: expect.any(String),
      metadata: options,
      callbackUrl,
      status: "created",
    });
    const task = await read<Task>(api.call(`/tasks/${job.id}`, { key: account.key }));
    expect(task).toMatchObject({
      assetId: song.id,
      targets: [{ model: "vocals", formats: ["wav"], residual: true, status: "processing" }],
    });
    expect(task.targets[0]?.queuePosition).toBeGreaterThan(0);
  });

  it.each([
    [{ metadata: { name: "tuba", format: "wav" } }, 400, "MODEL_UNKNOWN", ["metadata.name"]],
    [{ metadata: { name: "vocals", format: "gif" } }, 400, "FORMAT_UNSUPPORTED", ["metadata.format"]],
    [{ metadata: { ...metadata, variant: "loud" } }, 400, "VARIANT_UNKNOWN", ["metadata.variant"]],
    [{ metadata: { ...metadata, language: "en" } }, 400, "LANGUAGE_UNSUPPORTED", ["metadata.language"]],
    [{ metadata: { name: "vocals" } }, 400, "REQUEST_INVALID", ["metadata.format"]],
    [{ metadata: undefined }, 400, "REQUEST_INVALID", ["metadata"]],
    [{ assetId: "unknown" }, 404, "ASSET_UNKNOWN", undefined],
    [{ callbackUrl: "nowhere" }, 400, "URL_INVALID", ["callbackUrl"]],
    [{ callbackUrl: "https://192.168.0.1/" }, 400, "URL_NOT_ALLOWED", ["callbackUrl"]],
    [
      { otherSourceAssets: [{ id: "abc", type: "transcription" }] },
      400,
      "TRANSCRIPT_NOT_ALLOWED",
      ["otherSourceAssets"],
    ],
    [
      {
        metadata: { name: "alignment", format: "json" },
        otherSourceAssets: [{ id: "abc", type: "transcription" }],
      },
      404,
      "ASSET_UNKNOWN",
      ["otherSourceAssets[0].id"],
    ],
    [{ metadata: { name: "multi_voice", format: "wav" } }, 403, "MODEL_NOT_GRANTED", ["metadata.name"]],
  ])("[J3] %j is refused", async (fields, status, code, paths) => {
    const error = await errorOf(call("/job", { body: { assetId: song.id, metadata, ...fields } }));
    expect(error).toEqual({ status, code, paths: paths ?? [] });
  });

  it("[J4] report their progress", async () => {
    const { id } = await createJob();
    const created = await getJob(id);
    expect(legacyJob.parse(created)).toEqual(created);
    expect(created).toMatchObject({ status: "created", startedAt: null, outputAssets: [], statusInfo: {} });
    expect(created.sourceAsset).toMatchObject({ id: song.id, name: "song.wav" });
    await begin(id);
    const processing = await getJob(id);
    expect(processing).toMatchObject({ status: "processing", startedAt: processing.updatedAt });
    await end(id, completed);
    const done = await getJob(id);
    expect(legacyJob.parse(done)).toEqual(done);
    expect(done).toMatchObject({ status: "completed", startedAt: processing.startedAt, statusInfo: {} });
    expect(Date.parse(done.updatedAt)).toBeGreaterThanOrEqual(Date.parse(processing.updatedAt));
    expect(done.outputAssets.map(({ id: _, link: __, ...asset }) => asset)).toEqual([
      { name: "vocals.wav", fileType: "audio/wav", format: "wav" },
      { name: "vocals_residual.wav", fileType: "audio/wav", format: "wav" },
    ]);
    expect(done.outputAssets[0]?.link).toContain("Expires=");
    expect(done.stemAssets).toEqual(done.outputAssets);
    await api.call(`/assets/${song.id}`, { method: "DELETE", key: account.key });
    expect((await getJob(id)).sourceAsset).toBeNull();
  });

  it("[E7] half of a surrogate pair in the metadata is refused", async () => {
    const body = { assetId: song.id, metadata: { ...metadata, language: "\ud800" } };
    expect(await errorOf(call("/job", { body }))).toMatchObject({
      status: 400,
      paths: ["metadata.language"],
    });
  });

  it("[J3] [G3] are accepted in their older spelling, beside null fields", async () => {
    const body = {
      assetId: song.id,
      stemMetadata: { stemName: "vocals", format: "mp3", residual: true },
      callbackUrl: "",
    };
    const { job } = await read<{ job: LegacyJob }>(call("/job", { body }));
    expect(job.metadata).toEqual({ name: "vocals", format: "mp3", residual: true });
    expect(job.callbackUrl).toBeUndefined();
    const nulls = { ...body, metadata: null, callbackUrl: null, otherSourceAssets: null };
    expect((await call("/job", { body: nulls })).status).toBe(200);
    const wrong = { ...body, stemMetadata: { format: "mp3" } };
    expect(await errorOf(call("/job", { body: wrong }))).toMatchObject({ paths: ["metadata.name"] });
  });

  it("[J4] [J8] [Y6] an output asset in the format ultrastar has the extension of its download", async () => {
    const { id } = await createJob({ metadata: { name: "transcription", format: "ultrastar" } });
    const file = { name: "transcription", format: "ultrastar", sizeBytes: 4 };
    await end(id, { ...completed, output: [{ ...file, blobKey: "outputs/a/b/transcription.ultrastar" }] });
    const named = { name: "transcription.ultrastar.txt", format: "ultrastar" };
    const [output] = (await getJob(id)).outputAssets;
    expect(output).toMatchObject(named);
    expect(await read(api.call(`/assets/${output?.id}`, { key: account.key }))).toMatchObject(named);
  });

  it("[J8] an output asset is an asset: the next job's input, its transcript, and readable", async () => {
    const { id } = await createJob();
    const blobs = await openFileBlobs(join(api.dataDir, "blobs"));
    const output = await Promise.all(
      [
        { name: "vocals", format: "wav", content: Buffer.from(wav) },
        { name: "words", format: "txt", content: Buffer.from("la la") },
      ].map(async ({ content, ...file }) => {
        const blobKey = `outputs/${id}/target/${file.name}.${file.format}`;
        return { ...file, blobKey, ...(await blobs.write(blobKey, Readable.from([content]))) };
      }),
    );
    await end(id, { ...completed, output });
    const [vocals, words] = (await getJob(id)).outputAssets;
    const next = await createJob({ assetId: vocals?.id });
    expect((await getJob(next.id)).sourceAsset).toMatchObject({
      id: vocals?.id,
      name: "vocals.wav",
      format: "wav",
    });
    const aligned = await createJob({
      assetId: vocals?.id,
      metadata: { name: "alignment", format: "json" },
      otherSourceAssets: [{ id: words?.id, type: "transcription" }],
    });
    expect(aligned.status).toBe("created");
    const task = { assetId: vocals?.id, targets: [{ model: "vocals", formats: ["wav"] }] };
    expect(await read(api.post("/tasks", task, { key: account.key }))).toMatchObject({ assetId: vocals?.id });
    const asset = await read<{ link: string }>(api.call(`/assets/${vocals?.id}`, { key: account.key }));
    expect(asset).toMatchObject({ id: vocals?.id, name: "vocals.wav", format: "wav", size: wav.length });
    expect((await fetch(asset.link)).status).toBe(200);
    const stranger = await api.addAccount();
    expect((await api.post("/tasks", task, { key: stranger.key })).status).toBe(404);
    for (const unknown of [`${vocals?.id}0`, vocals?.id.replace(/-0$/, "-7")])
      expect(await errorOf(call("/job", { body: { assetId: unknown, metadata } }))).toMatchObject({
        status: 404,
      });
  });

  it("[J4] report why they failed", async () => {
    const { id } = await createJob();
    await end(id, failed);
    expect(await getJob(id)).toMatchObject({
      status: "failed",
      statusInfo: { code: 2004, message: "The model failed." },
      outputAssets: [],
    });
  });

  it("[J4] [E4] are listed newest first, and are private", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await createJob()).id);
    const page = await call("/job?skip=1&take=1");
    expect(page.headers.get("x-total-count")).toBe("3");
    const { jobs } = (await page.json()) as { jobs: LegacyJob[] };
    expect(jobs.map(({ id }) => id)).toEqual(ids.slice(1, 2));
    const mine = ids[0] ?? "";
    token = await addToken((await api.addAccount()).clientId);
    expect(await read(call("/job"))).toEqual({ jobs: [] });
    expect((await call(`/job/${mine}`)).status).toBe(404);
    expect((await call("/job?take=0")).status).toBe(400);
  });

  it("[J7] a Task that was not created as a job is not a job", async () => {
    const body = { assetId: song.id, targets: [{ model: "vocals", formats: ["wav"] }] };
    const { id } = await read<Task>(api.post("/tasks", body, { key: account.key }));
    expect((await call(`/job/${id}`)).status).toBe(404);
  });
});

describe("callbacks", () => {
  const jobsOf = () => receiver.calls.map(({ body }) => (JSON.parse(body) as { job: LegacyJob }).job);

  it("[J5] come at each change of status, in order, signed, with the body of GET", async () => {
    const { id } = await createJob({ callbackUrl: receiver.url });
    await begin(id);
    await begin(id);
    await end(id, completed);
    const calls = await receiver.waitForCalls(2);
    expect(jobsOf().map(({ status }) => status)).toEqual(["processing", "completed"]);
    expect(jobsOf()[0]).toMatchObject({ id, outputAssets: [] });
    const withoutLinks = (job?: LegacyJob) =>
      JSON.stringify(job).replaceAll(/Expires=\d+&Signature=\w+/g, "");
    expect(withoutLinks(jobsOf()[1])).toBe(withoutLinks(await getJob(id)));
    const { secret } = await read<{ secret: string }>(api.call("/webhooks/secret", { key: account.key }));
    for (const { body, headers } of calls)
      expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        job: { id },
      });
  });

  it("[J5] report a failure, and are retried", async () => {
    receiver.answer = (response, index) => response.writeHead(index === 0 ? 500 : 200).end();
    const { id } = await createJob({ callbackUrl: receiver.url });
    await end(id, failed);
    await receiver.waitForCalls(2);
    expect(jobsOf().map(({ status, statusInfo }) => [status, statusInfo.code])).toEqual([
      ["failed", 2004],
      ["failed", 2004],
    ]);
  });

  it("[J7] are a job's only notifications: the account's webhook is not called", async () => {
    const accountReceiver = await startReceiver();
    await read(api.post("/webhooks", { url: accountReceiver.url }, { key: account.key }));
    const silent = await createJob();
    await end(silent.id, completed);
    const { id } = await createJob({ callbackUrl: receiver.url });
    await end(id, completed);
    await receiver.waitForCalls(1);
    const log = await read<{ taskId: string; event: string }[]>(
      api.call("/webhooks/deliveries", { key: account.key }),
    );
    expect(log).toMatchObject([{ taskId: id, event: "job" }]);
    expect(accountReceiver.calls).toEqual([]);
    await accountReceiver.close();
  });
});

describe("usage", () => {
  it("[J6] counts the completed jobs of the last three months in UTC, by GET and POST", async () => {
    const complete = async () => {
      const { id } = await createJob();
      await end(id, completed);
      return id;
    };
    /** Ages the usage so far. */
    const age = (months: number) =>
      api.database.pool.query("update usage_by_month set month = month - $1 * interval '1 month'", [months]);
    await complete();
    await age(1);
    await complete();
    await age(2);
    await complete();
    const deletedId = await complete();
    await api.call(`/tasks/${deletedId}`, { method: "DELETE", key: account.key });
    const unfinished = await createJob();
    await end(unfinished.id, failed);
    const usage = await read<LegacyUsage>(call("/usage"));
    expect(legacyUsage.parse(usage)).toEqual(usage);
    const now = new Date();
    const monthOf = (back: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
    expect(usage).toEqual({
      clientId: account.clientId,
      usage: [
        { month: monthOf(0), totalJobs: 2, totalMinutes: "3.00" },
        { month: monthOf(1), totalJobs: 0, totalMinutes: "0.00" },
        { month: monthOf(2), totalJobs: 1, totalMinutes: "1.50" },
      ],
    });
    expect(await read(call("/usage", { method: "POST" }))).toEqual(usage);
    expect(await read(call("/usage", { body: {} }))).toEqual(usage);
  });
});

it("[S2] fetching a link does not delay a stopping service", async () => {
  const stopping = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" });
  const server = await startReceiver();
  server.answer = (response) => {
    response.writeHead(200, { "content-type": "audio/wav" });
    // Some bytes, and then nothing.
    response.write(wav.subarray(0, 100));
  };
  const fetching = fetch(new URL("/upload/link", stopping.address), {
    method: "POST",
    headers: { "x-api-key": stopping.account.key, "content-type": "application/json" },
    body: JSON.stringify({ link: server.url }),
  });
  await server.waitForCalls(1);
  const startedMs = performance.now();
  const closed = stopping.close();
  const response = await fetching;
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).not.toBeNull();
  await closed;
  expect(performance.now() - startedMs).toBeLessThan(4000);
  await server.close();
});

it("[E5] [J1] a valid token with invented keys counts as one caller", async () => {
  const limited = await startTestApi({ RATE_LIMIT_PER_SECOND: "5" });
  const authorization = `Bearer ${limited.account.key}`;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      fetch(new URL("/usage", limited.address), {
        headers: { authorization, "x-api-key": `made-up-${index}` },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(6);
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(6);
  await limited.close();
});
