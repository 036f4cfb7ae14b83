import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { WholeApi } from "../http/api.ts";
import { makeOpenStreams } from "../http/limits/open-streams.ts";
import type { CompatApi } from "./answer-upload.ts";
import { getCompatCaller } from "./get-compat-caller.ts";
import { addOpenAiRoutes } from "./openai/openai-routes.ts";
import { addAsrRoutes } from "./whisper-asr/asr-routes.ts";

/** Interfaces of other services, for their existing clients. Everything about them is in this folder. */
export async function addCompatRoutes(api: WholeApi): Promise<void> {
  await api.app.register(async (scope) => {
    scope.addHook("preParsing", async (request, reply) => {
      request.caller = await api.limitLookUp({ request, reply }, () =>
        getCompatCaller(api.ports.keys, request),
      );
    });
    const waits = makeOpenStreams({
      keys: api.ports.keys,
      limits: api.config.eventStreams,
      words: { noun: "waiting requests", advice: "create Tasks with POST /tasks" },
      onError: (error) => scope.log.warn({ err: error }, "keys of waiting requests not checked"),
    });
    scope.addHook("preClose", async () => waits.endAll());
    const compatApi: CompatApi = { ...api, app: scope.withTypeProvider<ZodTypeProvider>(), waits };
    addOpenAiRoutes(compatApi);
    addAsrRoutes(compatApi);
  });
}
