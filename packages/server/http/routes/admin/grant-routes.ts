import { ApiError, idParams, modelGrant, modelGrantRequest } from "@stemwright/contract";
import { z } from "zod";
import { getClient, setGrant } from "../../../domain/accounts/manage-accounts.ts";
import type { Api } from "../../api.ts";

const grantParams = idParams.extend({ model: z.string().min(1) });

export function addGrantRoutes({ app, ports }: Api<"accounts" | "grants" | "installed">): void {
  const { accounts, grants } = ports;
  const config = { isAdmin: true };
  const tags = ["Administration"];

  app.get(
    "/admin/clients/:id/models",
    {
      config,
      schema: {
        tags,
        summary: "List a client's model grants",
        params: idParams,
        response: { 200: z.array(modelGrant) },
      },
    },
    async (request) => grants.listGrants((await getClient(accounts, request.params.id)).id),
  );

  app.put(
    "/admin/clients/:id/models/:model",
    {
      config,
      schema: {
        tags,
        summary: "Set a client's model grant",
        params: grantParams,
        body: modelGrantRequest,
        response: { 200: modelGrant },
      },
    },
    async (request) => {
      const { id, model } = request.params;
      return await setGrant(accounts, {
        clientId: id,
        model,
        terms: request.body,
        installed: ports.installed,
      });
    },
  );

  app.delete(
    "/admin/clients/:id/models/:model",
    {
      config,
      schema: {
        tags,
        summary: "Reset to the default terms",
        params: grantParams,
        response: { 200: z.object({ model: z.string() }) },
      },
    },
    async (request) => {
      const { id, model } = request.params;
      await getClient(accounts, id);
      if (model.includes("\0") || !(await accounts.deleteGrant(id, model)))
        throw new ApiError("NOT_FOUND", "No grant exists for this client and model");
      return { model };
    },
  );
}
