import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import { makeTempDir } from "./temp-dir.ts";

/** A proxy to the test database that can drop an answer together with its connection. */
export async function openLossyProxy() {
  const query = new URLSearchParams(inject("postgresUrl").split("?")[1]);
  const target = join(query.get("host") ?? "", `.s.PGSQL.${query.get("port")}`);
  const dir = await makeTempDir("lossy");
  const sockets = new Set<Socket>();
  let lost: string | undefined;
  const server = createServer((near) => {
    const far = connect(target);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.on("data", (chunk) => far.write(chunk));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    far.on("data", (chunk) => {
      const isLost = lost !== undefined && chunk.includes(`${lost}\0`);
      if (isLost) near.destroy();
      else near.write(chunk);
      if (isLost) lost = undefined;
    });
  });
  server.listen(join(dir, ".s.PGSQL.5432"));
  await once(server, "listening");
  return {
    toUrl: (url: string) => url.replace(/host=[^&]*/, `host=${encodeURIComponent(dir)}`),
    /** Drops the next answer that confirms the given command, such as COMMIT. */
    loseAnswer(commandTag: string): void {
      lost = commandTag;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
