import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** Whether an `If-None-Match` header names the tag; weak and strong ones count alike there. */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  const known = header?.split(",").map((entry) => entry.trim().replace(/^W\//, ""));
  return known?.some((entry) => entry === tag || entry === "*") ?? false;
}

/**
 * Tags a text with its hash, and answers 304 to a client that has it (RFC 9110, section 13.1.2). The tag is weak: the same
 * text may be sent compressed or not. It costs the making of the text, and saves the sending.
 */
export function addNotModified(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!request.routeOptions.config.isTagged || typeof payload !== "string" || reply.statusCode !== 200)
      return payload;
    const tag = `"${createHash("sha256").update(payload).digest("base64url").slice(0, 27)}"`;
    void reply
      .header("etag", `W/${tag}`)
      // Kept by the client alone, since the view is its own; asked about before each use, since terms may change.
      .header("cache-control", "private, no-cache")
      .header("vary", [reply.getHeader("vary") ?? [], "x-api-key"].flat().join(", "));
    if (!isKnownTag(request.headers["if-none-match"], tag)) return payload;
    void reply.code(304).removeHeader("content-type").removeHeader("content-length");
    return "";
  });
}
