import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerJson, makeFakeFetch } from "../../test/support/fake-fetch.ts";
import type { OpenApi } from "../../test/support/openapi.ts";
import { sampleTask } from "../../test/support/sample-task.ts";
import { startTestApi, type TestApi } from "../../test/support/test-api.ts";
import { type OutputFile, Stemwright } from "./index.ts";

const README = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
const FILE: OutputFile = {
  name: "vocals",
  format: "wav",
  link: "http://a/files/ID",
  type: "audio/wav",
  size: 1,
};
const DONE = sampleTask(undefined, "2026-01-31T09:31:00.000Z");
const TARGET = { taskId: "ID", targetId: "ID" };
const task = { url: "https://b", targets: [] };

/** Each operation of /openapi.json, and the client's method for it. Ids in paths are `ID`. */
const CALLS: Record<string, (client: Stemwright) => Promise<unknown>> = {
  "GET /models": (client) => client.models.list(),
  "POST /tasks": (client) => client.tasks.create(task),
  "POST /tasks/estimate": (client) => client.tasks.estimate(task),
  "GET /tasks": (client) =>
    client.tasks
      .list({
        skip: 1,
        take: 1,
        status: "error",
        model: "vocals",
        search: "song",
        createdAfter: "2026-01-31",
        createdBefore: "2026-02-01T00:00:00Z",
      })
      .page(),
  "GET /tasks/statistics": (client) =>
    Promise.all([client.statistics.usage({ months: 1 }), client.statistics.distribution({ months: 1 })]),
  "GET /tasks/{id}": (client) => client.tasks.get("ID"),
  "DELETE /tasks/{id}": (client) => client.tasks.delete("ID"),
  "POST /tasks/{id}/cancel": (client) => client.tasks.cancel("ID"),
  "GET /tasks/{id}/events": async (client) => {
    for await (const event of client.tasks.events("ID")) return event;
    return undefined;
  },
  "GET /tasks/{id}/targets/{targetId}/words": (client) => client.tasks.words.get(TARGET),
  "PUT /tasks/{id}/targets/{targetId}/words": (client) =>
    client.tasks.words.save(TARGET, { revision: 0, lines: [] }),
  "DELETE /tasks/{id}/targets/{targetId}/words": (client) => client.tasks.words.reset(TARGET),
  "GET /tasks/{id}/targets/{targetId}/words/export": (client) =>
    client.tasks.words.export(TARGET, "srt", { version: "original" }),
  "POST /tasks/{id}/targets/{targetId}/realignments": (client) =>
    client.tasks.words.startAlignment(TARGET, { text: "a", start: 0, end: 1 }),
  "GET /tasks/{id}/targets/{targetId}/realignments/{realignmentId}": (client) =>
    client.tasks.words.getAlignment(TARGET, "ID"),
  "DELETE /tasks/{id}/targets/{targetId}/realignments/{realignmentId}": (client) =>
    client.tasks.words.cancelAlignment(TARGET, "ID"),
  "POST /tasks/{id}/shares": (client) => client.tasks.shares.create("ID"),
  "GET /tasks/{id}/shares": (client) => client.tasks.shares.list("ID"),
  "DELETE /tasks/{id}/shares/{shareId}": (client) => client.tasks.shares.revoke("ID", "ID"),
  "GET /shares/{token}": (client) => client.shares.get("ID"),
  "GET /shares/{token}/previews": (client) => client.shares.previews.get("ID"),
  "GET /shares/{token}/previews/chunks/{index}": (client) =>
    client.shares.previews.chunk("ID", 1, { version: "a", tracks: ["input"] }),
  "GET /shares/{token}/previews/peaks": (client) =>
    client.shares.previews.peaks("ID", { version: "a", tracks: ["input"], level: 256, from: 0, to: 1 }),
  "GET /shares/{token}/previews/spectra": (client) =>
    client.shares.previews.spectra("ID", { version: "a", tracks: ["input"], level: 2048, from: 0, to: 1 }),
  "GET /shares/{token}/targets/{targetId}/words": (client) => client.shares.words("ID", "ID"),
  "GET /shares/{token}/targets/{targetId}/words/export": (client) =>
    client.shares.exportWords("ID", { targetId: "ID", format: "srt", version: "original" }),
  "GET /tasks/{id}/exports": (client) => client.tasks.exports("ID", { version: "original" }),
  "GET /shares/{token}/exports": (client) => client.shares.exports("ID", { version: "original" }),
  "GET /exports/{id}/{file}": (client) => client.tasks.openExport("http://a/exports/ID/ID"),
  "GET /tasks/{id}/previews": (client) => client.tasks.previews.get("ID"),
  "GET /tasks/{id}/previews/chunks/{index}": (client) =>
    client.tasks.previews.chunk("ID", 1, { version: "a", tracks: ["input"] }),
  "GET /tasks/{id}/previews/peaks": (client) =>
    client.tasks.previews.peaks("ID", { version: "a", tracks: ["input"], level: 256, from: 0, to: 1 }),
  "GET /tasks/{id}/previews/spectra": (client) =>
    client.tasks.previews.spectra("ID", { version: "a", tracks: ["input"], level: 2048, from: 0, to: 1 }),
  "POST /assets": (client) => client.assets.upload(new Blob(["sound"])),
  "POST /uploads": (client) => client.uploads.create({ name: "a.wav", sizeBytes: 5 }),
  "POST /uploads/direct": (client) => client.uploads.createDirect({ name: "a.wav", sizeBytes: 5 }),
  "GET /uploads": (client) => client.uploads.list({ skip: 1, take: 1 }).page(),
  "GET /uploads/{id}": (client) => client.uploads.get("ID"),
  "PATCH /uploads/{id}": (client) => client.uploads.append("ID", 0, new Blob(["sound"])),
  "DELETE /uploads/{id}": (client) => client.uploads.delete("ID"),
  "POST /uploads/{id}/complete": (client) => client.uploads.complete("ID"),
  "GET /assets": (client) => client.assets.list({ skip: 1, take: 1, search: "song" }).page(),
  "GET /assets/{id}": (client) => client.assets.get("ID"),
  "DELETE /assets/{id}": (client) => client.assets.delete("ID"),
  "GET /files/{path}": async (client) => {
    await client.tasks.download(DONE, FILE);
    await client.shares.download("ID", { task: { ...DONE, expiresAt: "", targets: [] }, output: FILE });
    await client.assets.download({ id: "ID", createdAt: "", ...FILE });
  },
  "POST /storage-integrations": (client) =>
    client.storageIntegrations.create({ type: "azure", storageName: "a", authConfig: {} }),
  "GET /storage-integrations": (client) => client.storageIntegrations.list({ skip: 1, take: 1 }).page(),
  "GET /storage-integrations/{id}": (client) => client.storageIntegrations.find("ID"),
  "DELETE /storage-integrations/{id}": (client) => client.storageIntegrations.delete("ID"),
  "POST /storage-integrations/{id}/verify": (client) => client.storageIntegrations.verify("ID"),
  "POST /webhooks": (client) => client.webhooks.set("https://b"),
  "GET /webhooks": (client) => client.webhooks.list(),
  "GET /webhooks/secret": (client) => client.webhooks.secret(),
  "DELETE /webhooks/{id}": (client) => client.webhooks.delete("ID"),
  "POST /webhooks/{id}/rotate-secret": (client) => client.webhooks.rotateSecret("ID"),
  "POST /webhooks/{id}/test": (client) => client.webhooks.test("ID"),
  "GET /webhooks/deliveries": (client) =>
    client.webhooks.deliveries.list({ skip: 1, take: 1, taskId: "t", state: "failed" }).page(),
  "GET /webhooks/deliveries/{id}": (client) => client.webhooks.deliveries.get("ID"),
  "POST /webhooks/deliveries/{id}/replay": (client) => client.webhooks.deliveries.replay("ID"),
  "GET /health/live": (client) => client.health.live(),
  "GET /health/ready": (client) => client.health.ready(),
  "GET /metrics": (client) => client.admin.metrics(),
  "POST /admin/clients": (client) => client.admin.clients.create({ name: "a" }),
  "GET /admin/clients": (client) => client.admin.clients.list({ skip: 1, take: 1 }).page(),
  "GET /admin/clients/{id}": (client) => client.admin.clients.get("ID"),
  "PATCH /admin/clients/{id}": (client) => client.admin.clients.update("ID", { name: "b" }),
  "POST /admin/clients/{id}/suspend": (client) => client.admin.clients.suspend("ID"),
  "POST /admin/clients/{id}/resume": (client) => client.admin.clients.resume("ID"),
  "POST /admin/clients/{id}/keys": (client) => client.admin.keys.create("ID", { name: "a" }),
  "GET /admin/clients/{id}/keys": (client) => client.admin.keys.list("ID"),
  "DELETE /admin/keys/{id}": (client) => client.admin.keys.revoke("ID"),
  "GET /admin/clients/{id}/models": (client) => client.admin.modelGrants.list("ID"),
  "PUT /admin/clients/{id}/models/{model}": (client) => client.admin.modelGrants.set("ID", "ID", {}),
  "DELETE /admin/clients/{id}/models/{model}": (client) => client.admin.modelGrants.delete("ID", "ID"),
  "POST /admin/clients/{id}/credits": (client) => client.admin.credits.grant("ID", { amount: 1, note: "a" }),
  "GET /admin/clients/{id}/credits": (client) => client.admin.credits.get("ID"),
  "GET /admin/clients/{id}/credits/ledger": (client) =>
    client.admin.credits.ledger("ID", { skip: 1, take: 1 }).page(),
  "GET /admin/workers": (client) => client.admin.workers(),
  "GET /admin/queue": (client) => client.admin.queues(),
  "GET /admin/health": (client) => client.admin.health(),
  "GET /account/options": (client) => client.account.options(),
  "POST /account/sign-in": (client) => client.account.signIn({ email: "a@b", password: "c" }),
  "POST /account/sign-in/link": (client) => client.account.signInWithLink("t"),
  "POST /account/sign-out": (client) => client.account.signOut(),
  "GET /account/me": (client) => client.account.me(),
  "PATCH /account/me": (client) => client.account.update({ name: "a" }),
  "GET /account/sessions": (client) => client.account.sessions.list(),
  "DELETE /account/sessions/{id}": (client) => client.account.sessions.revoke("ID"),
  "GET /account/people": (client) => client.account.people.list(),
  "PATCH /account/people/{id}": (client) => client.account.people.update("ID", { role: "member" }),
  "DELETE /account/people/{id}": (client) => client.account.people.remove("ID"),
  "POST /account/invitations": (client) => client.account.invitations.create({ role: "owner" }),
  "GET /account/invitations": (client) => client.account.invitations.list(),
  "DELETE /account/invitations/{id}": (client) => client.account.invitations.delete("ID"),
  "POST /account/invitations/lookup": (client) => client.account.invitations.lookup("t"),
  "POST /account/invitations/accept/provider": (client) => client.account.invitations.acceptWithProvider("t"),
  "POST /account/invitations/accept": (client) =>
    client.account.invitations.accept({ token: "t", email: "a@b", name: "a", password: "long enough" }),
  "POST /account/keys": (client) => client.account.keys.create({ name: "a" }),
  "GET /account/keys": (client) => client.account.keys.list(),
  "DELETE /account/keys/{id}": (client) => client.account.keys.revoke("ID"),
  "GET /account/credits": (client) => client.account.credits.get(),
  "GET /account/credits/ledger": (client) => client.account.credits.ledger({ skip: 1, take: 1 }).page(),
  "POST /upload": (client) => client.jobs.upload(new Blob(["sound"])),
  "POST /upload/link": (client) => client.jobs.uploadLink({ link: "https://b" }),
  "POST /job": (client) => client.jobs.create({ assetId: "a", metadata: { name: "vocals", format: "wav" } }),
  "GET /job": (client) => client.jobs.list({ skip: 1, take: 1 }).page(),
  "GET /job/{id}": (client) => client.jobs.get("ID"),
  "GET /usage": (client) => client.jobs.usage(),
};
/** Alternative spellings of routes, for older clients. */
const ALIASES = ["POST /usage", "POST /upload/audio-link"];
/** Interfaces of other services and of tus, for their own clients; this SDK has other ways. */
const OTHER_CLIENTS = [
  "GET /v1/models",
  "GET /v1/models/{model}",
  "POST /v1/audio/transcriptions",
  "POST /v1/audio/translations",
  "POST /asr",
  "POST /detect-language",
  "HEAD /uploads/{id}",
];
/** Methods that combine others, or send no request. */
const COMPOSED = [
  "tasks.run",
  "tasks.words.align",
  "tasks.wait",
  "tasks.save",
  "tasks.saveAll",
  "assets.save",
  "webhooks.unwrap",
];

/** Every method of the client by its path, `admin.clients.get`. */
function listMethods(noun: object, prefix = ""): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(noun)).filter(
    (name) => name !== "constructor",
  );
  const inner = Object.entries(noun).filter(([, value]) => typeof value === "object" && value !== null);
  return [
    ...own.map((name) => prefix + name),
    ...inner.flatMap(([name, value]) => listMethods(value as object, `${prefix}${name}.`)),
  ];
}

/** Records each method that is called, and calls through. */
function spyOn(noun: object, called: Set<string>, prefix = ""): void {
  for (const name of listMethods(noun).filter((path) => !path.includes("."))) {
    const method = (noun as Record<string, (...args: unknown[]) => unknown>)[name];
    Object.defineProperty(noun, name, {
      enumerable: false,
      value: (...args: unknown[]) => {
        called.add(prefix + name);
        return method?.apply(noun, args);
      },
    });
  }
  for (const [name, value] of Object.entries(noun))
    if (typeof value === "object" && value !== null) spyOn(value as object, called, `${prefix}${name}.`);
}

describe("[G7] the SDK and /openapi.json", () => {
  let api: TestApi;
  let document: OpenApi;
  beforeAll(async () => {
    api = await startTestApi();
    document = (await (await api.call("/openapi.json")).json()) as OpenApi;
  });
  afterAll(() => api.close());

  /** Calls a method against a service that accepts anything, and returns the requests it made. */
  async function record(call: (client: Stemwright) => Promise<unknown>, called = new Set<string>()) {
    const fake = makeFakeFetch(({ url }) => {
      if (url.endsWith("/events")) return new Response(`event: task\ndata: ${JSON.stringify(DONE)}\n\n`);
      if (url.includes("/previews/")) return new Response();
      return answerJson(
        { models: [], jobs: [], job: {}, secret: "" },
        { headers: { location: "http://a/uploads/ID" } },
      );
    });
    const client = new Stemwright({ baseUrl: "http://a", apiKey: "k", fetch: fake.fetch });
    spyOn(client, called);
    await call(client);
    return fake.requests;
  }

  it("have the same routes", () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(CALLS).toSorted()).toEqual(
      operations.filter((operation) => ![...ALIASES, ...OTHER_CLIENTS].includes(operation)).toSorted(),
    );
  });

  it.each(Object.entries(CALLS))("%s is what its method sends", async (operation, call) => {
    const requests = await record(call);
    const sent = requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    const path = operation.replace("{index}", "1").replaceAll(/\{[^}]+\}/g, "ID");
    expect(new Set(sent)).toEqual(new Set([path]));
  });

  it.each(Object.entries(CALLS))(
    "%s takes every query parameter that is described",
    async (operation, call) => {
      const [method = "", path = ""] = operation.split(" ");
      const described = (document.paths[path]?.[method.toLowerCase()]?.parameters ?? [])
        .filter(
          (parameter) =>
            parameter.in === "query" && !["Expires", "Share", "Signature"].includes(parameter.name),
        )
        .map(({ name }) => name)
        // Every method takes it in its options.
        .filter((name) => name !== "clientId");
      const requests = await record(call);
      for (const { url } of requests)
        expect([...new URL(url).searchParams.keys()].toSorted()).toEqual(described.toSorted());
    },
  );

  it("have a route for each method and a method for each route, as listed in README.md", async () => {
    const made: string[] = [];
    for (const [operation, call] of Object.entries(CALLS)) {
      const called = new Set<string>();
      await record(call, called);
      made.push(...[...called].map((method) => `${method}: ${operation}`));
    }
    const methods = listMethods(new Stemwright({ baseUrl: "http://a" }));
    const named = made.map((line) => line.split(":")[0]);
    expect([...named, ...COMPOSED].toSorted()).toEqual(methods.toSorted());
    const rows = [...README.matchAll(/^\| `client\.([\w.]+)\(.*?\)` \| (?:`([^`]+)`)?/gm)];
    expect(rows.map(([, method]) => method).toSorted()).toEqual(methods.toSorted());
    const written = rows.flatMap(([, method, route]) => (route === undefined ? [] : [`${method}: ${route}`]));
    expect(written.toSorted()).toEqual(made.toSorted());
  });
});
