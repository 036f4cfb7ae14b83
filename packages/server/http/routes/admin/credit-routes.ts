import { creditEntry, creditGrantRequest, credits, idParams, pageQuery } from "@stemwright/contract";
import { z } from "zod";
import { toCredits } from "../../../domain/accounts/client-record.ts";
import { getClient, grantCredits } from "../../../domain/accounts/manage-accounts.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

export function addCreditRoutes({ app, ports }: Api<"accounts" | "writes">): void {
  const { accounts } = ports;
  const config = { isAdmin: true };
  const tags = ["Administration"];

  app.post(
    "/admin/clients/:id/credits",
    {
      config,
      schema: {
        tags,
        summary: "Grant or refund credits",
        params: idParams,
        body: creditGrantRequest,
        response: { 200: creditEntry },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, (stores) =>
        grantCredits(stores.accounts, getCaller(request), request.params.id, request.body),
      ),
  );

  app.get(
    "/admin/clients/:id/credits",
    {
      config,
      schema: { tags, summary: "Get a client's balance", params: idParams, response: { 200: credits } },
    },
    async (request) => toCredits(await getClient(accounts, request.params.id)),
  );

  app.get(
    "/admin/clients/:id/credits/ledger",
    {
      config,
      schema: {
        tags,
        summary: "List a client's ledger, newest first",
        params: idParams,
        querystring: pageQuery,
        response: { 200: z.array(creditEntry) },
      },
    },
    async (request, reply) => {
      const { id } = await getClient(accounts, request.params.id);
      const { items, total } = await accounts.listCreditEntries(id, request.query);
      void reply.header("x-total-count", total);
      return items;
    },
  );
}
