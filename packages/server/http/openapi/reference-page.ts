import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance } from "fastify";
import { toBasePath } from "../base-path.ts";

const ASSETS_DIR = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const ASSETS: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

/** Swagger UI takes data URLs for its icons. Requests go to the service's public address, wherever the page was opened. */
const makeContentSecurityPolicy = (origin: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${origin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Keys typed in are forgotten with the page; a browser may still have one that an earlier release stored. */
const SCRIPT = `localStorage.removeItem("authorized");
const { description } = document.querySelector("#reference").dataset;
SwaggerUIBundle({ url: description, dom_id: "#reference", deepLinking: true, tryItOutEnabled: true, persistAuthorization: false, validatorUrl: null, defaultModelsExpandDepth: 0 });
`;

const makePage = (base: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stemwright reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}docs/swagger-ui.css">
</head>
<body>
<div id="reference" data-description="${base}openapi.json"></div>
<script src="${base}docs/swagger-ui-bundle.js"></script>
<script src="${base}docs/reference.js"></script>
</body>
</html>
`;

/** The interactive reference. Everything it shows and runs comes from this server, so it works without the internet. */
export function addReferencePage(app: FastifyInstance, publicBaseUrl: () => string): void {
  const options = { config: { isPublic: true }, schema: { hide: true } };
  app.get("/docs", options, async (_request, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", makeContentSecurityPolicy(new URL(publicBaseUrl()).origin))
      .header("referrer-policy", "same-origin")
      .send(makePage(toBasePath(publicBaseUrl()))),
  );
  app.get("/docs/reference.js", options, async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(SCRIPT),
  );
  app.get<{ Params: { asset: string } }>("/docs/:asset", options, async ({ params }, reply) => {
    const type = ASSETS[params.asset];
    if (type === undefined) throw new ApiError("NOT_FOUND", "The reference page has no such file");
    return reply
      .type(type)
      .header("cache-control", "public, max-age=86400")
      .send(createReadStream(join(ASSETS_DIR, params.asset)));
  });
}
