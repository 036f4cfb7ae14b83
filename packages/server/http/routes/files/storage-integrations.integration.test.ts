import {
  type ApiErrorBody,
  type NewShare,
  type SharedTask,
  type StorageIntegration,
  type StorageVerification,
  storageIntegration as schema,
  type Task,
} from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { beginRun } from "../../../../../test/support/begin-run.ts";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../../../../../test/support/s3-server.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { insertKey } from "../../../db/accounts/key-rows.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";
import { makeKey } from "../../../domain/accounts/key-secrets.ts";
import { toOutputAssetId } from "../../../domain/assets/output-asset-id.ts";
import { makeId } from "../../../domain/ids.ts";
import { toCustomerBlobKey } from "../../../domain/storage/customer-object.ts";

let api: TestApi;
let server: S3Server;
let bucket: ReturnType<S3Server["addBucket"]>;
let other: TestAccount;
let adminKey: string;
beforeAll(async () => {
  server = await startS3Server();
  bucket = server.addBucket("music");
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" });
  other = await api.addAccount();
  adminKey = makeKey();
  const { clientId } = other;
  await insertKey(api.database.db, { clientId, name: "Admin", role: "admin", secret: adminKey });
});
afterAll(async () => {
  await api.close();
  await server.close();
});

const SECRET = S3_KEY.secretAccessKey;
const s3 = () => ({
  type: "s3",
  storageName: "music",
  authConfig: { endpoint: server.endpoint, region: S3_REGION, ...S3_KEY },
});
const aws = {
  type: "aws",
  storageName: "music",
  authConfig: { roleArn: "arn:aws:iam::123456789012:role/stems", region: "eu-west-1" },
};
const create = async (body: unknown = s3(), init?: { key?: string }) =>
  (await (await api.post("/storage-integrations", body, init)).json()) as StorageIntegration;
const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
};
const vocals = { model: "vocals", formats: ["wav"] };

describe("storage integrations", () => {
  it("[N1] are created, listed, read and deleted, and their secrets are never shown", async () => {
    const response = await api.post("/storage-integrations", s3());
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toContain(SECRET);
    const created = JSON.parse(text) as StorageIntegration;
    expect(schema.parse(created)).toEqual(created);
    expect(created).toMatchObject({ clientId: api.account.clientId, type: "s3", storageName: "music" });
    expect(created.authConfig).toEqual({
      endpoint: server.endpoint,
      region: S3_REGION,
      accessKeyId: S3_KEY.accessKeyId,
      secretAccessKey: "***",
      forcePathStyle: true,
    });
    const path = `/storage-integrations/${created.id}`;
    expect(await (await api.call(path)).json()).toEqual(created);
    const list = await api.call("/storage-integrations?take=1");
    expect(Number(list.headers.get("x-total-count"))).toBeGreaterThanOrEqual(1);
    expect(await list.json()).toEqual([created]);
    expect(await (await api.call(path, { method: "DELETE" })).json()).toEqual(created);
    const gone = await api.call(path);
    expect([gone.status, gone.headers.get("content-type"), await gone.text()]).toEqual([
      200,
      "application/json; charset=utf-8",
      "null",
    ]);
    expect(await codeOf(await api.call(path, { method: "DELETE" }))).toEqual([
      404,
      "STORAGE_INTEGRATION_UNKNOWN",
    ]);
  });

  it("[N1] of another client are unknown", async () => {
    const { id } = await create();
    const { key } = other;
    const path = `/storage-integrations/${id}`;
    expect(await (await api.call(path, { key })).text()).toBe("null");
    expect((await api.call(path, { key, method: "DELETE" })).status).toBe(404);
    expect((await api.post(`${path}/verify`, {}, { key })).status).toBe(404);
    expect(await (await api.call("/storage-integrations", { key })).json()).toEqual([]);
    const task = { url: "s3://music/a.wav", storageIntegrationId: id, targets: [vocals] };
    expect((await api.post("/tasks", task, { key })).status).toBe(404);
  });

  it("[N2] secrets are encrypted in the database, and the key is not there", async () => {
    const { id } = await create();
    const { rows } = await api.database.pool.query("select * from storage_integrations where id = $1", [id]);
    const row = JSON.stringify(rows[0], (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString("latin1") : value,
    );
    expect(row).not.toContain(SECRET);
    const { rows: secrets } = await api.database.pool.query("select name from installation_secrets");
    expect(secrets.map(({ name }: { name: string }) => name).sort()).toEqual(["links", "vault canary"]);
    expect(api.logLines.join("")).not.toContain(SECRET);
  });

  it("[N3] aws gets a generated external id, which the client can't choose", async () => {
    const withId = { ...aws, authConfig: { ...aws.authConfig, externalId: "mine" } };
    const [first, second] = [await create(withId), await create(aws)];
    expect(first.authConfig.externalId).toMatch(/^[0-9a-z]{24,36}$/);
    expect(first.authConfig.externalId).not.toBe(second.authConfig.externalId);
  });

  const pem = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";
  it.each([
    { what: "an unknown type", body: { ...aws, type: "ftp" }, path: "type" },
    { what: "no type", body: { ...aws, type: undefined }, path: "type" },
    { what: "no storageName", body: { ...aws, storageName: undefined }, path: "storageName" },
    { what: "an empty storageName", body: { ...aws, storageName: "" }, path: "storageName" },
    { what: "a long storageName", body: { ...aws, storageName: "x".repeat(513) }, path: "storageName" },
    {
      what: "aws without a role",
      body: { ...aws, authConfig: { region: "eu-west-1" } },
      path: "authConfig.roleArn",
    },
    {
      what: "aws without a region",
      body: { ...aws, authConfig: { roleArn: aws.authConfig.roleArn } },
      path: "authConfig.region",
    },
    {
      what: "s3 without a secret",
      body: {
        type: "s3",
        storageName: "x",
        authConfig: { endpoint: "https://s3.example", region: "x", accessKeyId: "x" },
      },
      path: "authConfig.secretAccessKey",
    },
    { what: "gcp with nothing", body: { type: "gcp", storageName: "x", authConfig: {} }, path: "authConfig" },
    {
      what: "gcp with a key that is none",
      body: {
        type: "gcp",
        storageName: "x",
        authConfig: { serviceAccountKey: { client_email: "a@b.example" } },
      },
      path: "authConfig.serviceAccountKey.private_key",
    },
    {
      what: "azure with a token and no account",
      body: { type: "azure", storageName: "x", authConfig: { sasToken: "sv=1" } },
      path: "authConfig",
    },
    {
      what: "azure with a string that connects nowhere",
      body: { type: "azure", storageName: "x", authConfig: { connectionString: "nonsense" } },
      path: "authConfig.connectionString",
    },
  ])("[N1] $what is refused", async ({ body, path }) => {
    const response = await api.post("/storage-integrations", body);
    expect(response.status).toBe(400);
    const { details } = (await response.json()) as { details: { path: string }[] };
    expect(details.map((detail) => detail.path)).toContain(path);
  });

  it.each([
    {
      type: "gcp",
      authConfig: {
        serviceAccountKey: { client_email: "a@b.example", private_key: pem, token_uri: "http://127.0.0.1/" },
      },
      shown: { serviceAccountKey: "***" },
    },
    {
      type: "gcp",
      authConfig: { serviceAccountKey: JSON.stringify({ client_email: "a@b.example", private_key: pem }) },
      shown: { serviceAccountKey: "***" },
    },
    {
      type: "azure",
      authConfig: {
        connectionString:
          "DefaultEndpointsProtocol=https;AccountName=abc;AccountKey=a2V5;EndpointSuffix=core.windows.net",
      },
      shown: { connectionString: "***" },
    },
    {
      type: "azure",
      authConfig: { accountName: "abc", sasToken: "?sv=1&sig=x" },
      shown: { accountName: "abc", sasToken: "***" },
    },
  ])("[N1] $type is taken with $authConfig", async ({ type, authConfig, shown }) => {
    expect((await create({ type, storageName: "music", authConfig })).authConfig).toEqual(shown);
  });

  it("[N1] text that a database can't store is refused", async () => {
    for (const text of ["x\0y", "x\ud800y"]) {
      for (const field of ["endpoint", "region", "accessKeyId", "secretAccessKey"]) {
        const value = field === "endpoint" ? `https://s3.example/${text}` : text;
        const body = { ...s3(), authConfig: { ...s3().authConfig, [field]: value } };
        expect((await api.post("/storage-integrations", body)).status).toBe(400);
      }
      expect((await api.post("/storage-integrations", { ...s3(), storageName: text })).status).toBe(400);
    }
    for (const path of ["/storage-integrations?clientId=%00", "/storage-integrations/%00"])
      expect((await api.call(path, { key: adminKey })).status).toBeLessThan(500);
  });

  it("[N6] an endpoint at a private address, or over plain http, is refused", async () => {
    const fieldOf = async (body: object) => {
      const { code, details } = (await (
        await api.post("/storage-integrations", body)
      ).json()) as ApiErrorBody;
      return [code, ...details.map(({ path }) => path)];
    };
    for (const endpoint of ["https://10.0.0.1", "https://169.254.169.254", "http://s3.example"]) {
      const body = { ...s3(), authConfig: { ...s3().authConfig, endpoint } };
      expect(await fieldOf(body)).toEqual(["URL_NOT_ALLOWED", "authConfig.endpoint"]);
    }
    const connectionString = "AccountName=a;AccountKey=a2V5;BlobEndpoint=https://10.0.0.1/a";
    const azure = { type: "azure", storageName: "x", authConfig: { connectionString } };
    expect(await fieldOf(azure)).toEqual(["URL_NOT_ALLOWED", "authConfig.connectionString"]);
  });

  it("[N4] verify reports which step failed, and why", async () => {
    const { id } = await create();
    const verify = async () =>
      (await (await api.post(`/storage-integrations/${id}/verify`, {})).json()) as StorageVerification;
    expect(await verify()).toEqual({
      ok: true,
      steps: ["list", "write", "read", "delete"].map((step) => ({ step, status: "passed" })),
    });
    server.faults.refuseWrites = true;
    expect(await verify()).toEqual({
      ok: false,
      steps: [
        { step: "list", status: "passed" },
        { step: "write", status: "failed", message: expect.stringContaining("AccessDenied") as string },
        { step: "read", status: "skipped" },
        { step: "delete", status: "skipped" },
      ],
    });
    server.faults.refuseWrites = false;
  });

  it("[N9] [K5] administrators must name the client in body or query; others may name themselves, in the query", async () => {
    const key = adminKey;
    const { clientId } = api.account;
    expect((await api.post("/storage-integrations", aws, { key })).status).toBe(400);
    expect((await api.post("/storage-integrations", { ...aws, clientId: makeId() }, { key })).status).toBe(
      400,
    );
    expect((await api.post("/storage-integrations", { ...aws, clientId })).status).toBe(400);
    const created = await create({ ...aws, clientId }, { key });
    expect(created.clientId).toBe(clientId);
    expect(await (await api.call(`/storage-integrations/${created.id}`)).json()).toEqual(created);
    expect(await (await api.call(`/storage-integrations/${created.id}`, { key })).json()).toEqual(created);
    const own = await api.call(`/storage-integrations?clientId=${other.clientId}`, { key });
    expect(await own.json()).toEqual([]);
    const theirs = await api.call(`/storage-integrations?clientId=${clientId}&take=1`, { key });
    expect(await theirs.json()).toEqual([created]);
    const named = await api.call(`/storage-integrations?clientId=${clientId}&take=1`);
    expect(await named.json()).toEqual([created]);
    for (const path of ["", `/${created.id}`]) {
      const foreign = await api.call(`/storage-integrations${path}?clientId=${other.clientId}`);
      expect(foreign.status).toBe(403);
    }
    const asClient = `/storage-integrations?clientId=${clientId}`;
    const byQuery = await api.post(asClient, aws, { key });
    expect(((await byQuery.json()) as StorageIntegration).clientId).toBe(clientId);
    expect((await api.post(asClient, { ...aws, clientId }, { key })).status).toBe(200);
    expect((await api.post(asClient, aws)).status).toBe(200);
    const torn = await api.post(asClient, { ...aws, clientId: other.clientId }, { key });
    expect(await torn.json()).toMatchObject({ statusCode: 400, details: [{ path: "clientId" }] });
    expect((await api.post(`/storage-integrations?clientId=${makeId()}`, aws, { key })).status).toBe(404);
    const path = `/storage-integrations/${created.id}?clientId=${clientId}`;
    expect((await api.call(path, { key, method: "DELETE" })).status).toBe(200);
  });
});

describe("Tasks with storage integrations", () => {
  const task = (id: string, extra: object = {}) => ({
    url: "s3://music/in/song.wav",
    storageIntegrationId: id,
    targets: [vocals],
    ...extra,
  });

  it("[N10] name an integration of the account and a bucket it covers", async () => {
    const { id } = await create();
    const created = await api.post("/tasks", task(id, { writeDestination: "s3://music/out/" }));
    expect(created.status).toBe(200);
    expect(await created.json()).toMatchObject({
      url: "s3://music/in/song.wav",
      storageIntegrationId: id,
      writeDestination: "s3://music/out/",
    });
    for (const extra of [
      { url: "s3://other/in/song.wav" },
      { url: "gs://music/in/song.wav" },
      { writeDestination: "s3://other/out" },
      { writeDestination: "az://music/out" },
    ])
      expect(await codeOf(await api.post("/tasks", task(id, extra)))).toEqual([
        400,
        "STORAGE_BUCKET_MISMATCH",
      ]);
    expect(await codeOf(await api.post("/tasks", task(makeId())))).toEqual([
      404,
      "STORAGE_INTEGRATION_UNKNOWN",
    ]);
    expect(await codeOf(await api.post("/tasks", task(id, { storageIntegrationId: undefined })))).toEqual([
      400,
      "STORAGE_INTEGRATION_REQUIRED",
    ]);
  });

  it("[N10] two targets that would write the same object are refused", async () => {
    const { id } = await create();
    const targets = [vocals, { ...vocals, residual: true }];
    const body = task(id, { targets, writeDestination: "s3://music" });
    expect(await codeOf(await api.post("/tasks", body))).toEqual([400, "WRITE_DESTINATION_INVALID"]);
    expect((await api.post("/tasks", task(id, { targets }))).status).toBe(200);
  });

  it("[N10] [VO3] two targets of voices that would both write their json are refused", async () => {
    const { id } = await create();
    const { clientId } = api.account;
    await api.database.pool.query("insert into model_grants values ($1, 'multi_voice', 'enabled', null)", [
      clientId,
    ]);
    const inFormats = (formats: string[], variant?: string) => ({
      model: "multi_voice",
      formats,
      ...(variant === undefined ? {} : { variant }),
    });
    const post = (...targets: object[]) =>
      api.post("/tasks", task(id, { targets, writeDestination: "s3://music" }));
    const refused = await post(inFormats(["wav", "json"]), inFormats(["flac", "json"]));
    expect(await codeOf(refused)).toEqual([400, "WRITE_DESTINATION_INVALID"]);
    expect((await post(inFormats(["wav"]), inFormats(["flac", "json"]))).status).toBe(200);
    const other = inFormats(["json"], "n_speaker");
    expect((await post(inFormats(["wav", "json"]), other)).status).toBe(200);
  });

  async function addOutput(file: { name: string; format: string; content: Uint8Array | string }) {
    const { id } = await create();
    const created = await api.post("/tasks", task(id, { writeDestination: "s3://music/out" }));
    const { id: taskId, targets } = (await created.json()) as Task;
    const key = `out/${taskId}/${file.name}.${file.format}`;
    const body = Buffer.from(file.content);
    bucket.objects.set(key, { body, type: "application/octet-stream", etag: `"${taskId}"` });
    await beginRun(api.database.db, taskId);
    const { name, format } = file;
    const output = [{ name, format, blobKey: toCustomerBlobKey(id, key), sizeBytes: body.length }];
    const targetId = targets[0]?.id ?? "";
    const end = { status: "completed" as const, durationSeconds: 1, output };
    await api.database.db.transaction().execute((tx) => endTarget(tx, { taskId, targetId, end }));
    return { key, assetId: toOutputAssetId(targetId, 0) };
  }
  const messageOf = async (response: Response) => {
    const { message } = (await response.json()) as { message: string };
    return { status: response.status, message };
  };

  it("[J8] [T6] an output in the client's bucket can be the input of another Task", async () => {
    const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));
    const { key, assetId } = await addOutput({ name: "vocals", format: "wav", content });
    const next = { assetId, targets: [vocals] };
    const object = bucket.objects.get(key);
    bucket.objects.delete(key);
    const refused = await messageOf(await api.post("/tasks", next));
    expect(refused).toEqual({
      status: 400,
      message: expect.stringContaining("can't be read from its bucket"),
    });
    expect(refused.message).not.toContain(api.dataDir);
    if (object) bucket.objects.set(key, object);
    expect(await (await api.post("/tasks/estimate", next)).json()).toMatchObject({ duration: 1 });
    expect((await api.post("/tasks", next)).status).toBe(200);
  });

  it("[O14] a share's link to it is the service's own, so that it ends with the share", async () => {
    const { key } = await addOutput({ name: "vocals", format: "wav", content: "stem" });
    const [, taskId] = key.split("/");
    const own = (await (await api.call(`/tasks/${taskId}`)).json()) as Task;
    expect(own.targets[0]?.output[0]?.link).toMatch(/X-Amz-Signature/);
    const made = (await (await api.post(`/tasks/${taskId}/shares`, {})).json()) as NewShare;
    const shown = await api.call(`/shares/${made.token}`, { key: null });
    const link = ((await shown.json()) as SharedTask).targets[0]?.output[0]?.link ?? "";
    expect(link).toContain(`${api.address}/files/`);
    const file = await fetch(link);
    expect([await file.text(), file.headers.get("cache-control")]).toEqual(["stem", "no-store"]);
    await api.call(`/tasks/${taskId}/shares/${made.id}`, { method: "DELETE" });
    expect((await fetch(link)).status).toBe(403);
  });

  it("[J8] [Z5] it can be a transcript, but not if it is empty or gone", async () => {
    const words = await addOutput({ name: "words", format: "txt", content: "la la" });
    const nothing = await addOutput({ name: "words", format: "txt", content: "" });
    const song = await api.upload(
      toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 80 })),
      "a.wav",
    );
    const { id: assetId } = (await song.json()) as { id: string };
    const align = (transcriptAssetId: string) =>
      api.post("/tasks", { assetId, targets: [{ model: "alignment", formats: ["txt"], transcriptAssetId }] });
    expect((await align(words.assetId)).status).toBe(200);
    const empty = { status: 400, message: expect.stringContaining("The transcript is empty") };
    expect(await messageOf(await align(nothing.assetId))).toEqual(empty);
    bucket.objects.delete(words.key);
    expect((await align(words.assetId)).status).toBe(400);
  });

  it("[N11] keep their integration from being deleted until they end", async () => {
    const { id } = await create();
    const { id: taskId } = (await (await api.post("/tasks", task(id))).json()) as { id: string };
    const remove = () => api.call(`/storage-integrations/${id}`, { method: "DELETE" });
    expect(await codeOf(await remove())).toEqual([409, "STORAGE_INTEGRATION_IN_USE"]);
    await api.call(`/tasks/${taskId}`, { method: "DELETE" });
    expect((await remove()).status).toBe(200);
  });

  it("[N11] a concurrent Task and delete never both succeed", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await create();
      const [created, removed] = await Promise.all([
        api.post("/tasks", task(id)),
        api.call(`/storage-integrations/${id}`, { method: "DELETE" }),
      ]);
      expect([created.status, removed.status].filter((status) => status === 200)).toHaveLength(1);
    }
  });
});
