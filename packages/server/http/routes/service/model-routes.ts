import { modelList } from "@stemwright/contract";
import { z } from "zod";
import { toModels } from "../../../domain/models/model-view.ts";
import type { Api } from "../../api.ts";

const notModified = z.undefined().meta({ description: "Not modified" });

export function addModelRoutes({ app, ports }: Api<"grants" | "installed">): void {
  app.get(
    "/models",
    {
      config: { isPublic: true, takesClientId: true, isTagged: true },
      schema: {
        tags: ["Models"],
        summary: "List the models",
        description: "Without a key the defaults; with one the account's own access and rates.",
        security: [{}, { apiKey: [] }],
        response: { 200: modelList, 304: notModified },
      },
    },
    async (request) => {
      const grants = request.caller ? await ports.grants.listGrants(request.caller.clientId) : [];
      return { models: toModels(ports.installed, grants) };
    },
  );
}
