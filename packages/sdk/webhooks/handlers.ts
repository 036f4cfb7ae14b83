import type { Task } from "@stemwright/contract";
import { WebhookSignatureError } from "../errors.ts";
import { type UnwrapOptions, unwrapWebhook, type WebhookHeaders } from "./unwrap-webhook.ts";

export type WebhookOptions = UnwrapOptions & {
  /** `whsec_…`, from `client.webhooks.secret()`. */
  secret: string;
  /**
   * Called with the Task of each verified webhook. Return within 15 seconds and do the work afterwards. Deliveries are
   * at-least-once: `id` is the same for every attempt, so use it to drop duplicates. If it throws, the response is a 500
   * and the service retries.
   */
  onTask: (task: Task, call: { id: string }) => void | Promise<void>;
};

type Answer = { status: 204 | 400; body: string | null };

async function answer(options: WebhookOptions, body: Uint8Array, headers: WebhookHeaders): Promise<Answer> {
  try {
    const task = await unwrapWebhook(body, headers, options.secret, options);
    const id = headers instanceof Headers ? headers.get("webhook-id") : headers["webhook-id"];
    await options.onTask(task, { id: String(id) });
    return { status: 204, body: null };
  } catch (error) {
    if (error instanceof WebhookSignatureError) return { status: 400, body: error.message };
    throw error;
  }
}

/**
 * For anything that maps a Request to a Response: Next.js route handlers, Deno, Bun, workers.
 *
 * @example
 * // app/api/stemwright/route.ts
 * export const POST = nextWebhook({ secret: process.env.STEMWRIGHT_WEBHOOK_SECRET, onTask: (task) => save(task) });
 */
export function nextWebhook(options: WebhookOptions) {
  return async (request: Request): Promise<Response> => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const { status, body } = await answer(options, bytes, request.headers);
    return new Response(body, { status });
  };
}

/**
 * @example
 * app.post("/stemwright", honoWebhook({ secret, onTask: (task) => save(task) }));
 */
export function honoWebhook(options: WebhookOptions) {
  const handle = nextWebhook(options);
  return (context: { req: { raw: Request } }): Promise<Response> => handle(context.req.raw);
}

type ExpressRequest = AsyncIterable<Uint8Array> & { headers: WebhookHeaders; body?: unknown };
type ExpressResponse = { status(code: number): { send(body: string | null): unknown; end(): unknown } };

/** The raw body; a parsed one cannot be verified. */
async function readRawBody(request: ExpressRequest): Promise<Uint8Array> {
  if (request.body instanceof Uint8Array) return request.body;
  if (request.body !== undefined)
    throw new Error(
      "The body is already parsed; mount the webhook before express.json() or use express.raw()",
    );
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/**
 * Mount it before `express.json()`.
 *
 * @example
 * app.post("/stemwright", expressWebhook({ secret, onTask: (task) => save(task) }));
 */
export function expressWebhook(options: WebhookOptions) {
  return (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => void): void => {
    readRawBody(request)
      .then((bytes) => answer(options, bytes, request.headers))
      .then(({ status, body }) => response.status(status).send(body))
      .catch(next);
  };
}

/** The parts of Fastify we use. */
type FastifyScope = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer" },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { body: unknown; headers: WebhookHeaders },
      reply: { code(status: number): { send(body: string | null): unknown } },
    ) => Promise<unknown>,
  ): unknown;
};

/**
 * A plugin with one route. Its raw body parser does not affect routes outside the plugin.
 *
 * @example
 * app.register(fastifyWebhook({ path: "/stemwright", secret, onTask: (task) => save(task) }));
 */
export function fastifyWebhook({ path, ...options }: WebhookOptions & { path: string }) {
  return async (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post(path, async (request, reply) => {
      const { status, body } = await answer(options, request.body as Uint8Array, request.headers);
      return reply.code(status).send(body);
    });
  };
}
