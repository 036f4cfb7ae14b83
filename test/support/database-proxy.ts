import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { makeTempDir } from "./temp-dir.ts";

export type DatabaseProxy = AsyncDisposable & {
  url: string;
  /** Breaks all connections, and every new one, until it is mended. */
  cut(): void;
  mend(): void;
  /** Holds back what is said, both ways, until it is let go on. */
  pause(): void;
  resume(): void;
};

/** A way to the test server that can be taken away. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl.replace("@/", "@localhost/"));
  const target = join(url.searchParams.get("host") ?? "", `.s.PGSQL.${url.searchParams.get("port") ?? 5432}`);
  const dir = await makeTempDir("proxy");
  const sockets = new Set<Socket>();
  let isCut = false;
  let isPaused = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target);
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
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
