import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { openMultipleListeners } from "./multiple-listeners.ts";

const HOST = "127.0.0.1";
const CLIENTS = 128;

const opened: { apps: FastifyInstance[]; sockets: Socket[] } = { apps: [], sockets: [] };
afterEach(async () => {
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const app of opened.apps.splice(0)) await app.close();
});

async function openApp(port = 0, addRoutes: (app: FastifyInstance) => void = () => {}) {
  const app = fastify({ forceCloseConnections: "idle" });
  opened.apps.push(app);
  addRoutes(app);
  const address = await openMultipleListeners(app, { host: HOST, port });
  return { app, address, port: (app.server.address() as AddressInfo).port };
}

const connectTo = (port: number): Socket => {
  const socket = connect(port, HOST).on("error", () => {});
  opened.sockets.push(socket);
  return socket;
};

describe("an API's listening sockets", () => {
  it.runIf(process.platform === "linux")(
    "[E10] let in whoever comes behind a crowd within few turns of the event loop",
    async () => {
      const { app, port } = await openApp();
      let accepted = 0;
      app.server.on("connection", () => {
        accepted += 1;
      });
      for (let index = 0; index < CLIENTS; index += 1) connectTo(port);
      let turns = 0;
      for (; accepted < CLIENTS && turns < 10 * CLIENTS; turns += 1) await nextTurn();
      expect(accepted).toBe(CLIENTS);
      // One per turn would take as many turns as there are clients.
      expect(turns).toBeLessThan(CLIENTS / 4);
    },
  );

  it("[E10] serve requests on each of them, and finish them before the service stops", async () => {
    const goOn = Promise.withResolvers<void>();
    let waiting = 0;
    const { app, address } = await openApp(0, (made) => {
      made.get("/slow", async () => {
        waiting += 1;
        await goOn.promise;
        return "done";
      });
    });
    const answers = Array.from({ length: CLIENTS }, async () => {
      const response = await fetch(`${address}/slow`, { headers: { connection: "close" } });
      return await response.text();
    });
    await expect.poll(() => waiting).toBe(CLIENTS);
    let isClosed = false;
    const closing = app.close().then(() => {
      isClosed = true;
    });
    await expect.poll(() => app.server.listening).toBe(false);
    expect(isClosed).toBe(false);
    goOn.resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["done"]));
    await closing;
  });

  it("[E10] do not delay a stopping service because of idle connections", async () => {
    const { app, port } = await openApp(0, (made) => void made.get("/", async () => "x"));
    const sockets = Array.from({ length: CLIENTS }, () => connectTo(port));
    for (const socket of sockets) {
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      await once(socket, "data");
    }
    await app.close();
  });

  it("do not take over a port in use", async () => {
    const { port } = await openApp();
    await expect(openApp(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
