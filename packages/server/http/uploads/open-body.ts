import { PassThrough } from "node:stream";
import { ApiError, UPLOAD_BYTES_TYPE } from "@stemwright/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingBytes } from "../../domain/uploads/append-to-upload.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route reads the bytes of its body itself. */
    takesBytes?: boolean;
    /** Added to the response to OPTIONS. */
    optionsHeaders?: Record<string, string>;
  }
}

/** Leaves the body of routes that take bytes unread. */
export function addBytesParser(app: FastifyInstance): void {
  app.addContentTypeParser(UPLOAD_BYTES_TYPE, (request, _payload, done) => {
    if (request.routeOptions.config.takesBytes) return done(null, undefined);
    return done(new ApiError("CONTENT_TYPE_UNSUPPORTED", "Send the body as application/json"));
  });
}

/**
 * The body as a stream that ends, instead of failing, where the connection breaks or the signal aborts: what was received until then is still read.
 */
export function openBody({ raw }: FastifyRequest, signal: AbortSignal): IncomingBytes {
  const content = new PassThrough();
  let fault: unknown;
  const end = (reason: unknown) => {
    if (content.writableEnded) return;
    fault ??= reason;
    raw.unpipe(content);
    content.end();
  };
  const makeBroken = () =>
    new ApiError("UPLOAD_BROKEN", "The connection broke; what arrived is kept, send on from there");
  raw.once("error", (error) => end(error instanceof ApiError ? error : makeBroken()));
  raw.once("close", () => {
    if (!raw.complete) end(makeBroken());
  });
  signal.addEventListener("abort", () => end(signal.reason));
  if (signal.aborted) end(signal.reason);
  else raw.pipe(content);
  return { content, findFault: () => fault };
}
