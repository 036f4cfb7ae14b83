import type { FastifyRequest } from "fastify";
import { toPrincipal } from "../../domain/accounts/caller.ts";
import { answerOnce, type OnceWork } from "../../domain/requests/idempotency.ts";
import type { Stores } from "../../domain/stores.ts";
import { getCaller } from "../access/authenticate.ts";
import type { ApiPorts } from "../api.ts";

type Reply = { header(name: string, value: string): unknown };

/** What a POST does. */
type PostWork<Prepared, Answer> = OnceWork<Prepared, Answer> & {
  /** What two requests must have in common to be the same; default: the body. */
  content?: unknown;
};

/** Does the work of a POST, or returns the stored response for its `Idempotency-Key`. Check the caller's role before. */
export async function onceAfter<Prepared, Answer>(
  ports: Pick<ApiPorts, "writes">,
  exchange: { request: FastifyRequest; reply: Reply },
  { prepare, write, content = exchange.request.body }: PostWork<Prepared, Answer>,
): Promise<Answer> {
  const { request, reply } = exchange;
  const key = request.method === "POST" ? request.headers["idempotency-key"] : undefined;
  if (typeof key !== "string") return await write(ports.writes.stores, await prepare());
  const caller = getCaller(request);
  const route = `POST ${request.routeOptions.url}`;
  const { answer, isReplay } = await answerOnce(
    ports.writes.receipts,
    {
      clientId: caller.clientId,
      principal: toPrincipal(caller),
      key,
      route,
      content: [request.params, content],
    },
    { prepare, write },
  );
  if (isReplay) void reply.header("idempotency-replayed", "true");
  return answer;
}

/** For work that only writes to the database. */
export const once = <Answer>(
  ports: Pick<ApiPorts, "writes">,
  exchange: { request: FastifyRequest; reply: Reply },
  write: (stores: Stores) => Promise<Answer>,
): Promise<Answer> => onceAfter(ports, exchange, { prepare: async () => undefined, write });

/** For work that may safely run twice; the first response counts. */
export const onceHarmless = <Answer>(
  ports: Pick<ApiPorts, "writes">,
  exchange: { request: FastifyRequest; reply: Reply },
  work: () => Promise<Answer>,
): Promise<Answer> => onceAfter(ports, exchange, { prepare: work, write: async (_stores, answer) => answer });
