import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * A turn of the event loop accepts one connection of each listening socket. With a single one, whoever comes behind a few hundred others waits
 * for as many turns, although none of them is long. So there are several, among which the kernel spreads connections.
 */
const SOCKETS = 32;

type Place = { host: string; port: number };

/** Sockets that share a port would share it with another program's too, unnoticed: whether one has it is asked before. */
async function checkFree({ host, port }: Place): Promise<void> {
  if (port === 0) return;
  // Somebody may connect meanwhile, and must not hold it open.
  const trial = createServer((connection) => connection.destroy()).listen({ host, port });
  await once(trial, "listening");
  trial.close();
  await once(trial, "close");
}

async function openSocket(app: FastifyInstance, place: Place): Promise<Server> {
  // As an HTTP server opens its own.
  const socket = createServer({ allowHalfOpen: true, noDelay: true }, (connection) =>
    app.server.emit("connection", connection),
  );
  socket.listen({ ...place, reusePort: true });
  await once(socket, "listening");
  return socket;
}

/** Listens on several sockets of one port, where the system has such a thing, and gives the address. */
export async function listenWidely(app: FastifyInstance, { host, port }: Place): Promise<string> {
  if (process.platform !== "linux") return await app.listen({ host, port });
  await checkFree({ host, port });
  const others: Server[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  app.addHook("preClose", async () => {
    closed = Promise.all(others.map((socket) => once(socket, "close")));
    for (const socket of others) socket.close();
    app.server.closeIdleConnections();
  });
  app.addHook("onClose", async () => {
    await closed;
  });
  const shared = { host, port, reusePort: true };
  const address = await app.listen(shared);
  const own = app.server.address() as AddressInfo;
  while (others.length < SOCKETS - 1)
    others.push(await openSocket(app, { host: own.address, port: own.port }));
  return address;
}
