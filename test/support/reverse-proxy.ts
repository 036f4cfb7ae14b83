import { createServer, type IncomingMessage, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

export type ReverseProxy = {
  /** The service's address for clients, with the sub-path. */
  baseUrl: string;
  /** The port the service must listen on: a public address with a path has to be known before it does. */
  port: number;
  /** Called for each request; true drops the connection once the service has answered. */
  losesAnswer: (request: IncomingMessage) => boolean;
  close(): Promise<void>;
};

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A reverse proxy that serves a service under a sub-path. */
export async function startReverseProxy(path = "/audio/api"): Promise<ReverseProxy> {
  const port = await findFreePort();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`${path}/`)) return response.writeHead(404).end("no such site");
    const url = new URL(request.url.slice(path.length), `http://127.0.0.1:${port}`);
    const { method, headers } = request;
    const outgoing = sendRequest(url, { method, headers }, (answer) => {
      if (proxy.losesAnswer(request)) {
        answer.resume();
        return answer.once("end", () => response.destroy());
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      return pipeline(answer, response).catch(() => {});
    });
    response.once("close", () => outgoing.destroy());
    return pipeline(request, outgoing).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: ReverseProxy = {
    port,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    losesAnswer: () => false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
