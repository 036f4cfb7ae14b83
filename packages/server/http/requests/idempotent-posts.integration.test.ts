import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  asset as assetSchema,
  type Client,
  type KeyKind,
  type KeyRole,
  type NewApiKey,
  type NewInvitation,
  type Webhook,
} from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { startReceiver } from "../../../../test/support/receiver.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../test/support/test-api.ts";
import { openBrowser, signIn, type TestBrowser } from "../../../../test/support/test-people.ts";
import { makeWordsTask } from "../../../../test/support/words-task.ts";
import { insertKey } from "../../db/accounts/key-rows.ts";
import { makePeopleStore } from "../../db/accounts/make-people-store.ts";
import { makeKey } from "../../domain/accounts/key-secrets.ts";
import { makeSignInLink } from "../../domain/accounts/sign-in.ts";

let api: TestApi;
let admin: TestAccount;
let account: TestAccount;
let token: string;
/** Second keys of the same clients, and a second token. */
const spare = { account: "", admin: "", token: "" };
const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
/** Values for the paths below. */
const ids: Record<string, string> = {};

const addKey = async (
  { clientId }: TestAccount,
  { role = "client", kind = "key" }: { role?: KeyRole; kind?: KeyKind } = {},
) => {
  const secret = makeKey();
  await insertKey(api.database.db, { clientId, name: "x", role, kind, secret });
  return secret;
};

const postAs = (
  path: string,
  { key, body, headers = {} }: { key: string | null; body?: unknown; headers?: Record<string, string> },
) =>
  api.call(path, {
    method: "POST",
    key,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  });

const upload = (
  path: string,
  init: { key: string; idempotencyKey: string; content?: string; name?: string },
) => {
  const form = new FormData();
  form.append("file", new File([init.content ?? "words"], init.name ?? "a.txt"));
  return api.call(path, {
    method: "POST",
    key: init.key,
    body: form,
    headers: { "idempotency-key": init.idempotencyKey },
  });
};

beforeAll(async () => {
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" });
  admin = await api.addAccount({ role: "admin" });
  account = await api.addAccount();
  token = await addKey(account, { kind: "legacy" });
  spare.token = await addKey(account, { kind: "legacy" });
  spare.account = await addKey(account);
  spare.admin = await addKey(admin, { role: "admin" });
  ids.asset = assetSchema.parse(await (await api.upload(wav, "a.wav", account)).json()).id;
  const webhook = await postAs("/webhooks", { key: account.key, body: { url: "https://example.com/a" } });
  ids.webhook = ((await webhook.json()) as Webhook).id;
  const client = await postAs("/admin/clients", { key: admin.key, body: { name: "Other" } });
  ids.client = ((await client.json()) as Client).id;
  const delivery = await postAs(`/webhooks/${ids.webhook}/test`, { key: account.key });
  ids.delivery = ((await delivery.json()) as { id: string }).id;
  const storage = await postAs("/storage-integrations", { key: account.key, body: s3("a") });
  ids.storage = ((await storage.json()) as { id: string }).id;
  const spoken = await makeWordsTask(api, undefined, account);
  ids.task = spoken.id;
  ids.target = spoken.targets[0]?.id ?? "";
});
afterAll(() => api.close());

const s3 = (storageName: string) => ({
  type: "s3",
  storageName,
  authConfig: {
    endpoint: "http://127.0.0.1:9",
    region: "x",
    accessKeyId: "a",
    secretAccessKey: "b",
    forcePathStyle: true,
  },
});
const vocals = (metadata: string) => ({
  assetId: ids.asset,
  targets: [{ model: "vocals", formats: ["wav"] }],
  metadata,
});
const job = (format: string) => ({ assetId: ids.asset, metadata: { name: "vocals", format } });

/** Every POST, with two different bodies if it takes one. */
const posts: {
  path: string;
  as: "account" | "admin" | "token";
  bodies?: (() => unknown)[];
}[] = [
  { path: "/tasks", as: "account", bodies: [() => vocals("1"), () => vocals("2")] },
  { path: "/tasks/estimate", as: "account", bodies: [() => vocals("1"), () => vocals("2")] },
  {
    path: "/tasks/{task}/shares",
    as: "account",
    bodies: [() => ({ expiresInSeconds: 60 }), () => ({ expiresInSeconds: 61 })],
  },
  {
    path: "/tasks/{task}/targets/{target}/realignments",
    as: "account",
    bodies: [() => ({ text: "a", start: 0, end: 1 }), () => ({ text: "b", start: 0, end: 1 })],
  },
  { path: "/storage-integrations", as: "account", bodies: [() => s3("one"), () => s3("two")] },
  { path: "/storage-integrations/{storage}/verify", as: "account" },
  {
    path: "/webhooks",
    as: "account",
    bodies: [() => ({ url: "https://example.com/1" }), () => ({ url: "https://example.com/2" })],
  },
  { path: "/webhooks/{webhook}/rotate-secret", as: "account" },
  { path: "/webhooks/{webhook}/test", as: "account" },
  { path: "/webhooks/deliveries/{delivery}/replay", as: "account" },
  { path: "/admin/clients", as: "admin", bodies: [() => ({ name: "One" }), () => ({ name: "Two" })] },
  {
    path: "/admin/clients/{client}/keys",
    as: "admin",
    bodies: [() => ({ name: "One" }), () => ({ name: "Two" })],
  },
  {
    path: "/admin/clients/{client}/credits",
    as: "admin",
    bodies: [() => ({ amount: 1, note: "a" }), () => ({ amount: 2, note: "a" })],
  },
  { path: "/admin/clients/{client}/suspend", as: "admin" },
  { path: "/admin/clients/{client}/resume", as: "admin" },
  { path: "/account/keys", as: "admin", bodies: [() => ({ name: "One" }), () => ({ name: "Two" })] },
  {
    path: "/account/invitations",
    as: "admin",
    bodies: [() => ({ role: "member" }), () => ({ role: "owner" })],
  },
  { path: "/uploads/{asset}/complete", as: "account" },
  { path: "/job", as: "token", bodies: [() => job("wav"), () => job("mp3")] },
  { path: "/usage", as: "token" },
];
/** Each opens or ends a session, or leads to one, before there is a client whose receipt could be stored. */
const signIns = [
  "/sign-in",
  "/sign-in/link",
  "/sign-out",
  "/invitations/lookup",
  "/invitations/accept",
  "/invitations/accept/provider",
].map((path) => `/account${path}`);
/** Tested separately below; those that wait for their Task in compat/, resumable uploads beside their routes. */
const others = [
  "/v1/audio/transcriptions",
  "/v1/audio/translations",
  "/asr",
  "/detect-language",
  "/tasks/{id}/cancel",
  "/assets",
  "/upload",
  "/upload/link",
  "/upload/audio-link",
  "/uploads",
  "/uploads/direct",
];

const first = () => ({ account: account.key, admin: admin.key, token });
const send = (post: (typeof posts)[number], idempotencyKey: string, body = 0, keys = first()) => {
  const key = post.as === "token" ? null : keys[post.as];
  const headers = post.as === "token" ? { authorization: `Bearer ${keys.token}` } : {};
  const path = post.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
  return postAs(path, {
    key,
    body: post.bodies?.[body]?.(),
    headers: { ...headers, "idempotency-key": idempotencyKey },
  });
};
const isReplay = (response: Response) => response.headers.get("idempotency-replayed") === "true";
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

describe("an Idempotency-Key on every POST", () => {
  it("[I1] is documented for each, and each is tested here", async () => {
    const document = (await (await api.call("/openapi.json")).json()) as {
      paths: Record<string, { post?: { parameters?: { name: string }[] } }>;
    };
    const described = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post ? [[path, post]] : [],
    );
    for (const [path, post] of described as [string, { parameters?: { name: string }[] }][])
      expect(
        post.parameters?.map(({ name }) => name),
        path,
      ).toContain("idempotency-key");
    const tested = [...posts.map(({ path }) => path), ...others, ...signIns];
    const withoutNames = (paths: unknown[]) =>
      paths.map((path) => String(path).replace(/\{\w+\}/g, "{id}")).sort();
    expect(withoutNames(tested)).toEqual(withoutNames(described.map(([path]) => path)));
  });

  it.each(posts)("[I1] $path gives its first answer again", async (post) => {
    const first = await send(post, `again ${post.path}`);
    const second = await send(post, `again ${post.path}`);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect([isReplay(first), isReplay(second)]).toEqual([false, true]);
    expect(await second.text()).toBe(await first.text());
  });

  it.each(posts.filter(({ bodies }) => bodies))("[I2] $path with another body is 409", async (post) => {
    expect((await send(post, `other ${post.path}`, 0)).status).toBe(200);
    const second = await send(post, `other ${post.path}`, 1);
    expect([second.status, await codeOf(second)]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  });

  it.each(posts)("[I2] $path gives another key of the client nothing: it is 409", async (post) => {
    expect((await send(post, `shared ${post.path}`)).status).toBe(200);
    const other = await send(post, `shared ${post.path}`, 0, spare);
    expect([other.status, await codeOf(other), isReplay(other)]).toEqual([
      409,
      "IDEMPOTENCY_CONFLICT",
      false,
    ]);
    expect(isReplay(await send(post, `shared ${post.path}`))).toBe(true);
  });

  it("[I2] [PE8] [PE9] checks the role before it probes for the response", async () => {
    await api.database.pool.query("update clients set is_administrative = true where id = $1", [
      admin.clientId,
    ]);
    const owner = await signIn(api, { clientId: admin.clientId });
    const member = await signIn(api, { clientId: admin.clientId, role: "member" });
    const asked = [
      ["/account/keys", { name: "x", role: "admin" }, "ADMIN_REQUIRED"],
      ["/account/keys", { name: "x", kind: "legacy" }, "ADMIN_REQUIRED"],
      ["/account/invitations", { role: "owner" }, "OWNER_REQUIRED"],
      [`/admin/clients/${ids.client}/keys`, { name: "x" }, "ADMIN_REQUIRED"],
    ] as const;
    for (const [index, [path, body, code]] of asked.entries()) {
      const headers = { "idempotency-key": `roles ${index}` };
      const made = await owner.call("POST", path, body, headers);
      const { secret, url } = (await made.json()) as Partial<NewApiKey & NewInvitation>;
      expect([made.status, typeof (secret ?? url)], path).toEqual([200, "string"]);
      const taken = await member.call("POST", path, body, headers);
      expect([taken.status, await codeOf(taken)], path).toEqual([403, code]);
    }
    await owner.ask("PATCH", `/account/people/${member.personId}`, { role: "owner" });
    await member.ask("PATCH", `/account/people/${owner.personId}`, { role: "member" });
    for (const [index, [path, body, code]] of asked.entries()) {
      const headers = { "idempotency-key": `roles ${index}` };
      const again = await owner.call("POST", path, body, headers);
      expect([again.status, await codeOf(again)], path).toEqual([403, code]);
      const other = await member.call("POST", path, body, headers);
      expect([other.status, await codeOf(other)], path).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    }
  });

  it("[I1] is a person's own in all sessions, and that of no other person", async () => {
    const person = await signIn(api, { clientId: account.clientId });
    const headers = { "idempotency-key": "of a person" };
    const create = (browser: TestBrowser) => browser.call("POST", "/account/keys", { name: "mine" }, headers);
    const made = await (await create(person)).text();
    const link = await makeSignInLink(makePeopleStore(api.database.db), person.personId, "");
    const elsewhere = openBrowser(api);
    await elsewhere.ask("POST", "/account/sign-in/link", { token: link.split("#")[1] });
    expect(await (await create(elsewhere)).text()).toBe(made);
    expect((await create(await signIn(api, { clientId: account.clientId }))).status).toBe(409);
  });

  it("[I1] [S27] a response stored by an earlier release, which tells no principal, is given again", async () => {
    const headers = { "idempotency-key": "earlier release" };
    const rotate = () => postAs(`/webhooks/${ids.webhook}/rotate-secret`, { key: account.key, headers });
    const made = await (await rotate()).text();
    await api.database.pool.query(
      "update idempotency_receipts set principal = null where key = 'earlier release'",
    );
    const again = await rotate();
    expect([isReplay(again), await again.text()]).toEqual([true, made]);
  });

  it("[I2] belongs to one route: on another, or with another id, it is 409", async () => {
    const rotate = `/webhooks/${ids.webhook}/rotate-secret`;
    const headers = { "idempotency-key": "one route" };
    expect((await postAs(rotate, { key: account.key, headers })).status).toBe(200);
    const other = await postAs(`/webhooks/${ids.webhook}/test`, { key: account.key, headers });
    expect(other.status).toBe(409);
    const elsewhere = await postAs("/webhooks/abcdefghijklmnopqrstuvwx/rotate-secret", {
      key: account.key,
      headers,
    });
    expect(elsewhere.status).toBe(409);
  });

  it("[I3] a refused request is tried afresh", async () => {
    const headers = { "idempotency-key": "refused" };
    const unknown = "/webhooks/abcdefghijklmnopqrstuvwx/rotate-secret";
    expect((await postAs(unknown, { key: account.key, headers })).status).toBe(404);
    const rotated = await postAs(`/webhooks/${ids.webhook}/rotate-secret`, { key: account.key, headers });
    expect([rotated.status, isReplay(rotated)]).toEqual([200, false]);
  });

  it("[I3] under concurrency rotates a secret, creates a key and grants credits once", async () => {
    const grant = posts.find(({ path }) => path.endsWith("/credits"));
    const key = posts.find(({ path }) => path.endsWith("/keys"));
    const rotate = posts.find(({ path }) => path.endsWith("/rotate-secret"));
    for (const post of [grant, key, rotate]) {
      if (!post) throw new Error("not in the table");
      const answers = await Promise.all(Array.from({ length: 12 }, () => send(post, `at once ${post.path}`)));
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
      expect(answers.filter(isReplay)).toHaveLength(11);
    }
  });

  it("[I4] the response with a new key is not readable in the database", async () => {
    const made = await postAs(`/admin/clients/${ids.client}/keys`, {
      key: admin.key,
      body: { name: "Secret" },
      headers: { "idempotency-key": "secret" },
    });
    const { secret } = (await made.json()) as { secret: string };
    const { rows } = await api.database.pool.query<{ sealed_response: Buffer }>(
      "select sealed_response from idempotency_receipts where key = 'secret'",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed_response.includes(secret)).toBe(false);
  });
});

describe("an Idempotency-Key on an upload", () => {
  const countAssets = async () => Number((await api.call("/assets", account)).headers.get("x-total-count"));

  it.each(["/assets", "/upload"])("[I1] %s keeps one file of two that are the same", async (path) => {
    const before = await countAssets();
    const idempotencyKey = `upload ${path}`;
    const first = await upload(path, { key: account.key, idempotencyKey });
    const second = await upload(path, { key: account.key, idempotencyKey });
    expect([first.status, isReplay(second)]).toEqual([200, true]);
    expect(await second.text()).toBe(await first.text());
    expect(await countAssets()).toBe(before + 1);
  });

  it("[I2] other content, or another name, is 409 and leaves nothing", async () => {
    const before = await countAssets();
    const init = { key: account.key, idempotencyKey: "another upload" };
    const kept = await upload("/assets", init);
    const { link } = assetSchema.parse(await kept.json());
    expect((await upload("/assets", { ...init, content: "other words" })).status).toBe(409);
    expect((await upload("/assets", { ...init, name: "b.txt" })).status).toBe(409);
    expect(await countAssets()).toBe(before + 1);
    expect(await (await fetch(link)).text()).toBe("words");
  });

  it("[I3] under concurrency is stored once, with one file", async () => {
    const before = await countAssets();
    const listFolders = () => readdir(join(api.dataDir, "blobs", "assets"));
    const foldersBefore = await listFolders();
    const init = { key: account.key, idempotencyKey: "uploads at once", content: "the same words" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload("/assets", init)));
    const links = await Promise.all(
      answers.map(async (answer) => assetSchema.parse(await answer.json()).link),
    );
    expect(new Set(links).size).toBe(1);
    expect(await (await fetch(links[0] ?? "")).text()).toBe("the same words");
    expect(await countAssets()).toBe(before + 1);
    expect(await listFolders()).toHaveLength(foldersBefore.length + 1);
  });

  it.each(["/upload/link", "/upload/audio-link"])("[I1] %s fetches a link once", async (path) => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.end("from elsewhere");
    const body = { link: receiver.url, name: "a.txt" };
    const headers = { "idempotency-key": `link to ${path}` };
    const first = await postAs(path, { key: account.key, body, headers });
    await receiver.close();
    const second = await postAs(path, { key: account.key, body, headers });
    expect([first.status, isReplay(second)]).toEqual([200, true]);
    expect(await second.text()).toBe(await first.text());
    expect(receiver.calls).toHaveLength(1);
  });

  it("[I1] a repeated cancel returns the first response", async () => {
    const created = await postAs("/tasks", { key: account.key, body: vocals("cancel") });
    const { id } = (await created.json()) as { id: string };
    const headers = { "idempotency-key": "cancel" };
    const first = await postAs(`/tasks/${id}/cancel`, { key: account.key, headers });
    await api.call(`/tasks/${id}`, { method: "DELETE", key: account.key });
    const second = await postAs(`/tasks/${id}/cancel`, { key: account.key, headers });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
  });
});
