import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** Whether an `If-None-Match` header names the tag. It compares weakly. */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  const known = header?.split(",").map((entry) => entry.trim().replace(/^W\//, ""));
  return known?.some((entry) => entry === tag || entry === "*") ?? false;
}

/**
 * Sets an ETag, the hash of the body, and returns 304 to a client that has it (RFC 9110, section 13.1.2). The tag is weak, since the body may
 * be compressed or not. The body is still built; only sending it is saved.
 */
export function addNotModified(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!request.routeOptions.config.isTagged || typeof payload !== "string" || reply.statusCode !== 200)
      return payload;
    const tag = `"${createHash("sha256").update(payload).digest("base64url").slice(0, 27)}"`;
    void reply
      .header("etag", `W/${tag}`)
      // Private: each client has its own view. Revalidated on each use: its terms may change.
      .header("cache-control", "private, no-cache")
      .header("vary", [reply.getHeader("vary") ?? [], "x-api-key"].flat().join(", "));
    if (!isKnownTag(request.headers["if-none-match"], tag)) return payload;
    void reply.code(304).removeHeader("content-type").removeHeader("content-length");
    return "";
  });
}
