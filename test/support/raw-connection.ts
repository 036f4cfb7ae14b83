import { connect, type Socket } from "node:net";

export type RawConnection = {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** How long the connection stayed open, once it is closed. */
  closed: Promise<{ text: string; openMs: number }>;
};

/** A raw connection, for what no HTTP client would send. */
export function openRawConnection(address: string, text = ""): RawConnection {
  const { hostname, port } = new URL(address);
  const startMs = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk;
  });
  // "close" comes for every kind of end.
  socket.on("error", () => {});
  const closed = new Promise<{ text: string; openMs: number }>((resolve) => {
    socket.on("close", () => resolve({ text: received, openMs: performance.now() - startMs }));
  });
  if (text !== "") socket.write(text);
  return { socket, received: () => received, closed };
}
