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

/** Scripts and styles from this server alone, none of them inline; sound also from what the page itself made. */
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

/** Browsers name HTML in what they accept; programs send the wildcard or nothing, or name JSON. */
const isBrowser = ({ headers }: FastifyRequest) => headers.accept?.includes("text/html") ?? false;

const escapeAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/**
 * The pages of the dashboard: at `/` for browsers, and below `/app`. All of `/app` is one page, which finds out by itself
 * what to show; its files are under `/app/assets`, each with a hash in its name.
 */
export function addDashboard(
  app: FastifyInstance,
  options: {
    /** A sentence where there is none: why. */
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
