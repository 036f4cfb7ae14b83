import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";

export type ReceivedCall = { headers: IncomingHttpHeaders; body: string; path: string; atMs: number };

export type Receiver = {
  url: string;
  calls: ReceivedCall[];
  /** Answers further calls; `index` counts from 0. */
  answer: (response: ServerResponse, index: number) => void;
  waitForCalls(count: number): Promise<ReceivedCall[]>;
  close(): Promise<void>;
};

/** A webhook receiver on this machine that records its calls, and answers 204 by default. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    receiver.calls.push({ headers: request.headers, body, path: request.url ?? "", atMs: Date.now() });
    receiver.answer(response, receiver.calls.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls: [],
    answer: (response) => response.writeHead(204).end(),
    async waitForCalls(count) {
      await expect
        .poll(() => receiver.calls.length, { timeout: 40_000, interval: 20 })
        .toBeGreaterThanOrEqual(count);
      return receiver.calls;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
