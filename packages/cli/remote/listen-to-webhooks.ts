import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { unwrapWebhook } from "@stemwright/sdk";
import { CliError } from "../cli-error.ts";
import { findWebhookSecret } from "../environment.ts";

type ListenOptions = { port: string; secret?: string; json: boolean };

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Prints what arrives until it is interrupted. Wrong signatures are answered with 400, as a receiver should. */
export async function listenToWebhooks(options: ListenOptions): Promise<void> {
  const secret = options.secret ?? findWebhookSecret();
  if (secret === undefined)
    throw new CliError(
      "USAGE",
      "The webhook's secret is missing: give --secret or STEMWRIGHT_WEBHOOK_SECRET (GET /webhooks/secret shows it).",
    );
  const server = createServer((request, response) => void answer(request, response, { ...options, secret }));
  server.listen(Number(options.port), "127.0.0.1");
  await once(server, "listening").catch((error: Error) => {
    throw new CliError(
      "USAGE",
      `Port ${options.port} can't be used (${error.message}); choose another with --port.`,
    );
  });
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`listening on http://127.0.0.1:${port}; stop with Ctrl-C\n`);
  await once(process, "SIGINT");
  server.closeAllConnections();
  server.close();
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, json }: { secret: string; json: boolean },
): Promise<void> {
  const body = await text(request);
  const id = String(request.headers["webhook-id"] ?? "");
  try {
    const task = await unwrapWebhook(body, request.headers, secret);
    const states = task.targets.map(({ model, status }) => `${model} ${status}`).join(", ");
    print(json ? JSON.stringify({ id, isVerified: true, task }) : `${id}  verified  ${task.id}  ${states}`);
    response.writeHead(204).end();
  } catch (error) {
    const { message } = error as Error;
    print(
      json ? JSON.stringify({ id, isVerified: false, message, body }) : `${id}  NOT verified: ${message}`,
    );
    response.writeHead(400).end();
  }
}
