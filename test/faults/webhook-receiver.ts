import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

export type WebhookReceiver = {
  /** The webhook URL of an account. */
  urlFor(account: string): string;
  /** Serves a file; returns its URL, for use as an input. */
  addFile(name: string, content: Uint8Array): string;
  setSecret(account: string, secret: string): void;
  /** How often each `webhook-id` arrived with a valid signature. */
  received: Map<string, number>;
  forged: string[];
  close(): Promise<void>;
};

/** The clients' own server: receives webhooks, checks their signatures, and serves the files that Tasks name by URL. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const secrets = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  const received = new Map<string, number>();
  const forged: string[] = [];
  const server = createServer(async (request, response) => {
    const [, kind, name = ""] = (request.url ?? "").split("/");
    const file = kind === "files" ? files.get(name) : undefined;
    if (file) return void response.end(file);
    if (kind !== "hooks") return void response.writeHead(404).end();
    const id = String(request.headers["webhook-id"]);
    const body = await text(request);
    try {
      new Webhook(secrets.get(name) ?? "").verify(body, request.headers as Record<string, string>);
      received.set(id, (received.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    } catch (error) {
      forged.push(`${id} to ${name}: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlFor: (account) => `${address}/hooks/${account}`,
    addFile(name, content) {
      files.set(name, content);
      return `${address}/files/${name}`;
    },
    setSecret: (account, secret) => void secrets.set(account, secret),
    received,
    forged,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
