import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { WholeApi } from "../http/api.ts";
import { makeOpenStreams } from "../http/limits/open-streams.ts";
import type { DoorApi } from "./answer-upload.ts";
import { getDoorCaller } from "./get-compat-caller.ts";
import { addOpenAiRoutes } from "./openai/openai-routes.ts";
import { addAsrRoutes } from "./whisper-asr/asr-routes.ts";

/** Interfaces of other services, for their existing clients. Everything about them is in this folder. */
export async function addDoorRoutes(api: WholeApi): Promise<void> {
  await api.app.register(async (scope) => {
    scope.addHook("preParsing", async (request, reply) => {
      request.caller = await api.limitLookUp({ request, reply }, () =>
        getDoorCaller(api.ports.keys, request),
      );
    });
    const waits = makeOpenStreams({
      keys: api.ports.keys,
      limits: api.config.eventStreams,
      words: { noun: "waiting requests", advice: "create Tasks with POST /tasks" },
      onError: (error) => scope.log.warn({ err: error }, "keys of waiting requests not checked"),
    });
    scope.addHook("preClose", async () => waits.endAll());
    const doorApi: DoorApi = { ...api, app: scope.withTypeProvider<ZodTypeProvider>(), waits };
    addOpenAiRoutes(doorApi);
    addAsrRoutes(doorApi);
  });
}
