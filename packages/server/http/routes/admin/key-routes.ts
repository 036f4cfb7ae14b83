import { apiKey, idParams, keyRequest, newApiKey } from "@stemwright/contract";
import { z } from "zod";
import { createKey, getClient, revokeKey } from "../../../domain/accounts/manage-accounts.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

export function addKeyRoutes({ app, ports }: Api<"accounts" | "writes">): void {
  const { accounts } = ports;
  const config = { isAdmin: true };
  const tags = ["Administration"];

  app.post(
    "/admin/clients/:id/keys",
    {
      config,
      schema: {
        tags,
        summary: "Create a key for a client",
        description: "`secret` is the key; it is returned once.",
        params: idParams,
        body: keyRequest,
        response: { 200: newApiKey },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, (stores) =>
        createKey(stores.accounts, request.params.id, request.body),
      ),
  );

  app.get(
    "/admin/clients/:id/keys",
    {
      config,
      schema: {
        tags,
        summary: "List a client's keys, without their secrets",
        params: idParams,
        response: { 200: z.array(apiKey) },
      },
    },
    async (request) => accounts.listKeys((await getClient(accounts, request.params.id)).id),
  );

  app.delete(
    "/admin/keys/:id",
    {
      config,
      schema: { tags, summary: "Revoke a key", params: idParams, response: { 200: apiKey } },
    },
    async (request) => await revokeKey(accounts, getCaller(request), request.params.id),
  );
}
