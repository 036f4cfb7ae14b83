import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { WEBHOOKS } from "./describe-webhooks.ts";
import { tidyComponents } from "./tidy-components.ts";

const INTERFACE_VERSION = "1.0.0";

declare module "fastify" {
  interface FastifySchema {
    /** JSON schema of a multipart body, which is parsed as it streams. Default: one file. */
    formBody?: object;
  }
}

const uploadBody = {
  type: "object",
  required: ["file"],
  properties: { file: { type: "string", format: "binary" } },
};

/** The tags, in reading order. */
const TAGS = Object.entries({
  Tasks: "Create, follow, cancel and fetch Tasks.",
  Words: "The words of a transcription or alignment, read, edited and exported.",
  Shares: "Links that show a Task to others.",
  Assets: "Upload files that Tasks work on.",
  Files: "Download links.",
  Models: "What a target may ask for, at which rate.",
  Statistics: "What was processed, by month and by model.",
  Webhooks: "The calls we make, and their log.",
  "Storage integrations": "Customers' own buckets.",
  Account: "People of an account, their sessions, keys and credits.",
  Administration: "Clients, keys, access, credits, workers; for keys of the role admin.",
  Health: "Whether the service runs.",
  OpenAI: "OpenAI's audio endpoints, for its clients.",
  "whisper-asr-webservice": "The endpoints of whisper-asr-webservice, for its clients.",
  "Jobs (legacy)": "The older Jobs interface.",
}).map(([name, description]) => ({ name, description }));

type Transformed = ReturnType<typeof jsonSchemaTransform>;
type Params = { properties: Record<string, object>; required?: string[] };

/** The router's wildcard, which is not a valid name in OpenAPI, as a named parameter. */
function nameWildcard({ schema, url }: Transformed): Transformed {
  if (!url.endsWith("/*") || !schema.params) return { schema, url };
  const { properties, ...rest } = schema.params as Params;
  const path = { ...properties["*"], description: "Rest of the path, including slashes" };
  return {
    schema: { ...schema, params: { ...rest, properties: { path }, required: ["path"] } },
    url: url.replace("*", ":path"),
  };
}

/** `post /tasks/:id/cancel` → `postTasksIdCancel`: a name for the methods of generated clients. */
const toOperationId = (method: string | string[], url: string) =>
  [[method].flat()[0]?.toLowerCase(), ...url.split(/[^A-Za-z0-9]+/)]
    .filter((word): word is string => word !== undefined && word !== "")
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");

/** Generated from the schemas that validate requests, so the two can't drift apart. */
export async function addOpenApi(app: FastifyInstance, publicBaseUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Stemwright",
        version: INTERFACE_VERSION,
        description: "Separates audio and video into stems, dialogue, music, effects, voices and words.",
        license: { name: "MIT", identifier: "MIT" },
      },
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
          metricsToken: {
            type: "http",
            scheme: "bearer",
            description: "METRICS_TOKEN; for GET /metrics only",
          },
          bearerKey: { type: "http", scheme: "bearer", description: "An API key, for clients of OpenAI" },
          basicKey: {
            type: "http",
            scheme: "basic",
            description: "An API key as the password, for clients that take a URL with a login",
          },
          legacyToken: { type: "http", scheme: "bearer", description: "A token of the Jobs interface" },
        },
      },
      security: [{ apiKey: [] }],
      tags: TAGS,
      webhooks: WEBHOOKS,
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route as Parameters<typeof jsonSchemaTransform>[0]);
      // A streamed upload has no parsed body, so its schema is given here only.
      const { formBody = uploadBody, ...rest } = schema;
      if (rest.consumes?.includes("multipart/form-data")) rest.body = formBody;
      const operationId = toOperationId(route.route.method, url);
      return nameWildcard({ schema: { operationId, ...rest }, url });
    },
    transformObject: jsonSchemaTransformObject,
  });
  app.get(
    "/openapi.json",
    { config: { isPublic: true }, schema: { hide: true } },
    async (_request, reply) => {
      // This route's own response has no schema, so it is sent unchanged.
      const document = { ...tidyComponents(app.swagger()), servers: [{ url: publicBaseUrl() }] };
      return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(document));
    },
  );
}
