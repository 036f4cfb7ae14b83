import { accountCredits, creditEntry, pageQuery } from "@stemwright/contract";
import { z } from "zod";
import { toCredits } from "../../../domain/accounts/client-record.ts";
import { getClient } from "../../../domain/accounts/manage-accounts.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];

export function addAccountCreditRoutes({ app, ports }: Api<"accounts">): void {
  const { accounts } = ports;

  app.get(
    "/account/credits",
    { schema: { tags, summary: "Get the account's balance", response: { 200: accountCredits } } },
    async (request) => {
      const client = await getClient(accounts, getCaller(request).clientId);
      return { ...toCredits(client), metered: client.isMetered };
    },
  );

  app.get(
    "/account/credits/ledger",
    {
      schema: {
        tags,
        summary: "List the account's ledger, newest first",
        querystring: pageQuery,
        response: { 200: z.array(creditEntry) },
      },
    },
    async (request, reply) => {
      const { items, total } = await accounts.listCreditEntries(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      return items;
    },
  );
}
