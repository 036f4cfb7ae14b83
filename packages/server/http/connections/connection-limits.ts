import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, UPLOAD_BYTES_TYPE } from "@stemwright/contract";
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import { toErrorBody } from "../errors/error-mapper.ts";
import { type ConnectionCounts, watchConnections } from "./connections.ts";

export type ConnectionLimits = ConnectionCounts & {
  requestTimeoutSeconds: number;
  idleTimeoutSeconds: number;
  uploadMinBytesPerSecond: number;
};

export const MAX_HEADERS_BYTES = 16 * 1024;
/** How often the server checks for late requests, and so how late past the limit they may be cut off. */
const CHECK_INTERVAL_MS = 500;
/** How long requests in flight may take during shutdown. */
const CLOSING_MS = 5000;

const toClientError = (code: string | undefined) => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new ApiError("REQUEST_TIMEOUT", "The request's headers took too long to arrive");
  if (code === "HPE_HEADER_OVERFLOW")
    return new ApiError("HEADERS_TOO_LARGE", "The request's headers have more than 16 KiB");
  return new ApiError("REQUEST_INVALID", "This is not HTTP");
};

/** Errors before a request is parsed have the usual error body. */
function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { statusCode, ...body } = toErrorBody(toClientError(error.code), requestId);
  const text = JSON.stringify({ statusCode, ...body });
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  const isHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.subarray(0, 5).toString() === "HEAD ";
  socket.end(`${head.join("\r\n")}\r\n\r\n${isHead ? "" : text}`);
}

/**
 * Protects against slow clients: headers must arrive within the time limit, and idle connections are closed.
 */
export function makeServerOptions({ requestTimeoutSeconds, idleTimeoutSeconds }: ConnectionLimits) {
  return {
    http: {
      maxHeaderSize: MAX_HEADERS_BYTES,
      headersTimeout: requestTimeoutSeconds * 1000,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // Our own hook rejects it, with the usual error body.
      requireHostHeader: false,
    },
    // A limit on whole requests would cut off long uploads; bodies have their own limit below.
    requestTimeout: 0,
    connectionTimeout: idleTimeoutSeconds * 1000,
    clientErrorHandler: answerClientError,
  } satisfies FastifyHttpOptions<RawServerDefault>;
}

const UPLOAD_TYPES = ["multipart/form-data", UPLOAD_BYTES_TYPE];
const isUpload = ({ headers }: FastifyRequest) =>
  UPLOAD_TYPES.some((type) => headers["content-type"]?.toLowerCase().startsWith(type) === true);

/** Tells whether fewer bytes than the minimum arrived since the last call, although we were ready to read more. */
function makeSlownessCheck({ raw }: FastifyRequest, leastBytes: number): () => boolean {
  const { socket } = raw;
  let seenBytes = socket.bytesRead;
  return () => {
    const newBytes = socket.bytesRead - seenBytes;
    seenBytes = socket.bytesRead;
    // Unread data in the buffer means that our store is slow, not the client.
    return newBytes < leastBytes && raw.readableLength === 0;
  };
}

/**
 * A body must arrive within the time limit. An upload may take longer as long as it keeps the minimum rate, averaged over each time
 * limit. During shutdown, requests in flight get a few seconds.
 */
export function addConnectionLimits(
  app: FastifyInstance,
  limits: ConnectionLimits,
  trustProxy: readonly string[],
): void {
  const { requestTimeoutSeconds, uploadMinBytesPerSecond } = limits;
  const connections = watchConnections(app.server, limits, trustProxy);
  app.addHook("onRequest", async (request, reply) => {
    if (!connections.isOverLimit(request.raw.socket)) return;
    void reply.header("connection", "close");
    if (!request.routeOptions.config.isHealth)
      throw new ApiError("UNAVAILABLE", "Too many open connections, from your address or in total; retry");
  });
  app.addHook("preClose", async () => {
    setTimeout(() => app.server.closeAllConnections(), CLOSING_MS).unref();
  });
  app.addHook("onRequest", async (request, reply) => {
    const { raw } = request;
    if (raw.complete) return;
    const isLate = isUpload(request)
      ? makeSlownessCheck(request, requestTimeoutSeconds * uploadMinBytesPerSecond)
      : () => true;
    const timer = setInterval(() => {
      if (raw.complete || !isLate()) return;
      clearInterval(timer);
      // Whoever reads the body gets this error and responds.
      if (raw.listenerCount("error") > 0 && !reply.sent) {
        void reply.header("connection", "close");
        raw.emit("error", new ApiError("REQUEST_TIMEOUT", "The request's body took too long to arrive"));
      } else raw.destroy();
    }, requestTimeoutSeconds * 1000);
    for (const event of ["end", "close"]) raw.once(event, () => clearInterval(timer));
  });
}
