import { client, clientChange, clientRequest, idParams, pageQuery } from "@stemwright/contract";
import { z } from "zod";
import { toClient } from "../../../domain/accounts/client-record.ts";
import {
  createClient,
  getClient,
  resumeClient,
  suspendClient,
} from "../../../domain/accounts/manage-accounts.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

export function addClientRoutes({ app, ports }: Api<"accounts" | "writes">): void {
  const { accounts } = ports;
  const config = { isAdmin: true };
  const tags = ["Administration"];

  app.post(
    "/admin/clients",
    { config, schema: { tags, summary: "Create a client", body: clientRequest, response: { 200: client } } },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) =>
        toClient(await createClient(stores.accounts, request.body)),
      ),
  );

  app.get(
    "/admin/clients",
    {
      config,
      schema: {
        tags,
        summary: "List clients, newest first",
        querystring: pageQuery,
        response: { 200: z.array(client) },
      },
    },
    async (request, reply) => {
      const { items, total } = await accounts.listClients(request.query);
      void reply.header("x-total-count", total);
      return items.map(toClient);
    },
  );

  app.get(
    "/admin/clients/:id",
    { config, schema: { tags, summary: "Get a client", params: idParams, response: { 200: client } } },
    async (request) => toClient(await getClient(accounts, request.params.id)),
  );

  app.patch(
    "/admin/clients/:id",
    {
      config,
      schema: {
        tags,
        summary: "Update a client",
        params: idParams,
        body: clientChange,
        response: { 200: client },
      },
    },
    async (request) => {
      const { id } = await getClient(accounts, request.params.id);
      await accounts.changeClient(id, request.body);
      return toClient(await getClient(accounts, id));
    },
  );

  app.post(
    "/admin/clients/:id/suspend",
    {
      config,
      schema: {
        tags,
        summary: "Suspend a client",
        description: "Its keys are refused at once with 403; accepted Tasks are finished.",
        params: idParams,
        response: { 200: client },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) =>
        toClient(await suspendClient(stores.accounts, getCaller(request), request.params.id)),
      ),
  );

  app.post(
    "/admin/clients/:id/resume",
    {
      config,
      schema: { tags, summary: "Resume a client", params: idParams, response: { 200: client } },
    },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) =>
        toClient(await resumeClient(stores.accounts, request.params.id)),
      ),
  );
}
