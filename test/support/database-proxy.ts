import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { makeTempDir } from "./temp-dir.ts";

export type DatabaseProxy = AsyncDisposable & {
  url: string;
  /** Breaks all connections and refuses new ones until it is repaired. */
  cut(): void;
  mend(): void;
  /** Holds back data in both directions until resumed. */
  pause(): void;
  resume(): void;
  /** Peak number of concurrent connections. */
  mostConnections(): number;
  /** Transactions that ended since the start. */
  countTransactions(): number;
  /** Notifications that clients received since the start. */
  countNotifications(): number;
};

/** A proxy to the test server that can be interrupted. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl.replace("@/", "@localhost/"));
  const target = join(url.searchParams.get("host") ?? "", `.s.PGSQL.${url.searchParams.get("port") ?? 5432}`);
  const dir = await makeTempDir("proxy");
  const sockets = new Set<Socket>();
  let isCut = false;
  let isPaused = false;
  let connections = 0;
  let mostConnections = 0;
  let transactions = 0;
  let notifications = 0;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target);
    connections += 1;
    mostConnections = Math.max(mostConnections, connections);
    near.on("close", () => {
      connections -= 1;
    });
    far.on(
      "data",
      watchMessages({
        Z: (content) => (transactions += content === "I" ? 1 : 0),
        A: () => (notifications += 1),
      }),
    );
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isPaused) from.pause();
    }
  });
  server.listen(join(dir, ".s.PGSQL.5432"));
  await once(server, "listening");
  return {
    url: databaseUrl.replace(/host=[^&]*/, `host=${encodeURIComponent(dir)}`),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    mostConnections: () => mostConnections,
    countTransactions: () => transactions,
    countNotifications: () => notifications,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Parses the server's messages (type, length, content): Z, "ready", has the content I outside a transaction; A is a notification. */
function watchMessages(on: Partial<Record<string, (content: string) => void>>): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = 1 + rest.readUInt32BE(1);
      on[rest.toString("latin1", 0, 1)]?.(rest.toString("latin1", 5, length));
      rest = rest.subarray(length);
    }
  };
}
