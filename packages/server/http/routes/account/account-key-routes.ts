import { apiKey, idParams, keyRequest, newApiKey } from "@stemwright/contract";
import { z } from "zod";
import { checkKeyRequest, createKey, revokeOwnKey } from "../../../domain/accounts/manage-accounts.ts";
import { getManager } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

const tags = ["Account"];

export function addAccountKeyRoutes({ app, ports }: Api<"accounts" | "writes">): void {
  const { accounts } = ports;

  app.post(
    "/account/keys",
    {
      schema: {
        tags,
        summary: "Create an API key",
        description:
          "`secret` is the key; it is returned once. The role `admin` and the kind `legacy` are for administrators.",
        body: keyRequest,
        response: { 200: newApiKey },
      },
    },
    (request, reply) => {
      const caller = getManager(request);
      checkKeyRequest(caller, request.body);
      return once(ports, { request, reply }, (stores) =>
        createKey(stores.accounts, caller.clientId, request.body),
      );
    },
  );

  app.get(
    "/account/keys",
    {
      schema: {
        tags,
        summary: "List the account's keys, without their secrets",
        response: { 200: z.array(apiKey) },
      },
    },
    async (request) => accounts.listKeys(getManager(request).clientId),
  );

  app.delete(
    "/account/keys/:id",
    {
      schema: { tags, summary: "Revoke a key", params: idParams, response: { 200: apiKey } },
    },
    async (request) => await revokeOwnKey(accounts, getManager(request), request.params.id),
  );
}
