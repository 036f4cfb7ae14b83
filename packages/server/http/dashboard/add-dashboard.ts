import { extname } from "node:path";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { toBasePath } from "../base-path.ts";
import { findEncoding } from "../responses/compression.ts";
import { isKnownTag } from "../responses/not-modified.ts";
import type { Dashboard } from "./load-dashboard.ts";
import { makeMissingPage } from "./missing-page.ts";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Scripts and styles from this server only, none inline. Media also from blobs that the page makes. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self' blob:",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Browsers accept HTML by name; programs send a wildcard, JSON or nothing. */
const isBrowser = ({ headers }: FastifyRequest) => headers.accept?.includes("text/html") ?? false;

const escapeAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/**
 * The dashboard: at `/` for browsers, and under `/app`. It is a single-page app; its files are in `/app/assets`, with a hash in each name.
 */
export function addDashboard(
  app: FastifyInstance,
  options: {
    /** The built pages, or a sentence saying why there are none. */
    dashboard: Dashboard | string;
    publicBaseUrl: () => string;
  },
): void {
  const { dashboard, publicBaseUrl } = options;
  const route = { config: { isPublic: true }, schema: { hide: true } };
  const page = { config: { isPublic: true, isTagged: true }, schema: { hide: true } };

  function sendPage(reply: FastifyReply) {
    const base = toBasePath(publicBaseUrl());
    void reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", CONTENT_SECURITY_POLICY)
      .header("referrer-policy", "same-origin");
    if (typeof dashboard === "string") return reply.code(503).send(makeMissingPage(base, dashboard));
    return reply.send(dashboard.page.replace('<base href="/">', `<base href="${escapeAttribute(base)}">`));
  }

  app.get("/", page, async (request, reply) => {
    void reply.header("vary", "accept");
    return isBrowser(request) ? sendPage(reply) : reply.redirect(`${toBasePath(publicBaseUrl())}docs`);
  });
  app.get("/app", page, async (_request, reply) => sendPage(reply));
  app.get("/app/*", page, async (_request, reply) => sendPage(reply));

  app.get<{ Params: { name: string } }>("/app/assets/:name", route, async (request, reply) => {
    const { name } = request.params;
    const file = typeof dashboard === "string" ? undefined : dashboard.files.get(name);
    if (!file)
      throw new ApiError("NOT_FOUND", "The dashboard has no such file; reload the page, it may be newer");
    const tag = `"${name}"`;
    void reply
      .type(TYPES[extname(name)] ?? "application/octet-stream")
      .header("etag", tag)
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("vary", "accept-encoding");
    if (isKnownTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
    const encoding = findEncoding(request.headers["accept-encoding"]);
    const encoded = encoding && file[encoding];
    if (encoded) void reply.header("content-encoding", encoding);
    return reply.send(encoded ?? file.content);
  });
}
