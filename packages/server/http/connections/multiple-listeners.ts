import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Node accepts one connection per listening socket in each turn of the event loop, so behind a few hundred others a connection waits as
 * many turns. With several sockets on one port, the kernel spreads connections over them.
 */
const SOCKETS = 32;

type Place = { host: string; port: number };

/** With SO_REUSEPORT we would silently share the port with another program, so check first that it is free. */
async function checkFree({ host, port }: Place): Promise<void> {
  if (port === 0) return;
  // A client that connects meanwhile must not keep it open.
  const trial = createServer((connection) => connection.destroy()).listen({ host, port });
  await once(trial, "listening");
  trial.close();
  await once(trial, "close");
}

async function openSocket(app: FastifyInstance, place: Place): Promise<Server> {
  // The options an HTTP server uses.
  const socket = createServer({ allowHalfOpen: true, noDelay: true }, (connection) =>
    app.server.emit("connection", connection),
  );
  socket.listen({ ...place, reusePort: true });
  await once(socket, "listening");
  return socket;
}

/** Listens on several sockets of one port, if the system supports it. Returns the address. */
export async function openMultipleListeners(app: FastifyInstance, { host, port }: Place): Promise<string> {
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
