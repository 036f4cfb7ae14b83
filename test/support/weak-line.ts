import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A line to the service that breaks, once after each of these numbers of bytes on one connection, or then passes on nothing more. */
export async function openWeakLine(
  address: string,
  {
    breaksAfterBytes = [],
    holdsAfterBytes = Number.POSITIVE_INFINITY,
  }: { breaksAfterBytes?: readonly number[]; holdsAfterBytes?: number },
): Promise<string> {
  const { hostname, port } = new URL(address);
  const breaks = [...breaksAfterBytes];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    let passedBytes = 0;
    near.on("data", (chunk) => {
      passedBytes += chunk.length;
      far.write(chunk);
      if (passedBytes >= holdsAfterBytes) near.pause();
      if (passedBytes < (breaks[0] ?? Number.POSITIVE_INFINITY)) return;
      breaks.shift();
      near.destroy();
    });
    far.on("data", (chunk) => near.write(chunk));
    near.on("close", () => far.end());
    far.on("close", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
