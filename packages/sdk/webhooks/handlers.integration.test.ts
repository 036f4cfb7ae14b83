import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Task } from "@stemwright/contract";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { Stemwright } from "../index.ts";
import { expressWebhook, fastifyWebhook, honoWebhook, nextWebhook, type WebhookOptions } from "./index.ts";

let api: TestApi;
let client: Stemwright;
const servers: { close(): unknown }[] = [];
beforeAll(async () => {
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" }, { pollIntervalMs: 50 });
  client = new Stemwright({ baseUrl: api.address, apiKey: api.account.key });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => api.close());

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Serves a handler of Requests on a port, as Next, Deno and Bun do. */
const listenForRequests = (handle: (request: Request) => Response | Promise<Response>) =>
  listen(
    createServer(async (incoming, outgoing) => {
      const request = new Request(`http://a${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers as Record<string, string>,
        body: Readable.toWeb(incoming) as ReadableStream,
        duplex: "half",
      } as RequestInit);
      const response = await Promise.resolve(handle(request)).catch(() => new Response("", { status: 500 }));
      outgoing.writeHead(response.status).end(await response.text());
    }),
  );

/** A receiver for each framework; returns its URL. */
const RECEIVERS: Record<string, (options: WebhookOptions) => Promise<string>> = {
  async fastify(options) {
    const app = fastify();
    servers.push(app);
    app.post("/json", async (request) => request.body);
    await app.register(fastifyWebhook({ path: "/hook", ...options }));
    const address = await app.listen({ host: "127.0.0.1", port: 0 });
    // The plugin's body parsing must not affect other routes.
    const other = await app.inject({ method: "POST", url: "/json", payload: { a: 1 } });
    expect(other.json()).toEqual({ a: 1 });
    return `${address}/hook`;
  },
  express: (options) => {
    const app = express().post("/hook", expressWebhook(options)).use(express.json());
    return listen(createServer(app));
  },
  "express with a raw parser": (options) => {
    const app = express()
      .use(express.raw({ type: "*/*" }))
      .post("/hook", expressWebhook(options));
    return listen(createServer(app));
  },
  hono: (options) => {
    const app = new Hono();
    app.post("/hook", honoWebhook(options)).onError(() => new Response("", { status: 500 }));
    return listenForRequests((request) => app.fetch(request));
  },
  next: (options) => listenForRequests(nextWebhook(options)),
};

async function deliver(url: string) {
  const { id } = await client.webhooks.set(url);
  const delivery = await client.webhooks.test(id);
  const find = async () =>
    (await client.webhooks.deliveries.list().toArray()).find((known) => known.id === delivery.id);
  await expect.poll(async () => (await find())?.state).not.toBe("pending");
  return await find();
}

describe.each(Object.entries(RECEIVERS))("[W4] a webhook in %s", (_name, start) => {
  it("gets the Tasks of the service's webhooks", async () => {
    const calls: { task: Task; id: string }[] = [];
    const url = await start({
      secret: await client.webhooks.secret(),
      onTask: (task, { id }) => void calls.push({ task, id }),
    });
    const delivery = await deliver(url);
    expect(delivery).toMatchObject({ state: "delivered", lastStatusCode: 204 });
    expect(calls).toMatchObject([{ id: delivery?.id, task: { targets: expect.any(Array) } }]);
  });

  it("answers 400 to forged calls, and 500 to its own failures", async () => {
    const forged: Task[] = [];
    const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const refusing = await start({ secret, onTask: (task) => void forged.push(task) });
    expect(await deliver(refusing)).toMatchObject({ state: "failed", lastStatusCode: 400 });
    expect(forged).toEqual([]);
    const failing = await start({
      secret: await client.webhooks.secret(),
      onTask: () => Promise.reject(new Error("the database is away")),
    });
    expect(await deliver(failing)).toMatchObject({ state: "failed", lastStatusCode: 500 });
  });
});

it("an express webhook after a body parser says what to do", async () => {
  const app = express()
    .use(express.json())
    .post("/hook", expressWebhook({ secret: "whsec_AAAA", onTask: () => {} }));
  const errors: unknown[] = [];
  app.use(((error, _request, response, _next) => {
    errors.push(error);
    response.status(500).end();
  }) satisfies express.ErrorRequestHandler);
  const url = await listen(createServer(app));
  await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining("before express.json()") }),
  ]);
});
