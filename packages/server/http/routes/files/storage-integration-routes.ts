import {
  ApiError,
  idParams,
  storageIntegration,
  storageIntegrationOwnerQuery,
  storageIntegrationPageQuery,
  storageIntegrationQuery,
  storageIntegrationRequest,
  storageVerification,
} from "@stemwright/contract";
import { z } from "zod";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { getFound } from "../../../domain/get-found.ts";
import { isId } from "../../../domain/ids.ts";
import { unknownIntegration } from "../../../domain/storage/check-buckets.ts";
import { createStorageIntegration } from "../../../domain/storage/create-storage-integration.ts";
import type { StorageIntegrationRecord } from "../../../domain/storage/storage-integration-record.ts";
import { toStorageIntegration } from "../../../domain/storage/storage-integration-view.ts";
import { toStorageScope } from "../../../domain/storage/storage-scope.ts";
import { verifyStorage } from "../../../domain/storage/verify-storage.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { once, onceHarmless } from "../../requests/once.ts";

export function addStorageIntegrationRoutes({
  app,
  ports,
  config,
}: Api<"buckets" | "integrations" | "urls" | "vault" | "writes">): void {
  const tags = ["Storage integrations"];
  const shared = { tags, params: idParams, querystring: storageIntegrationQuery };

  const toView = (integration: StorageIntegrationRecord) =>
    toStorageIntegration(integration, config.aws.principalArn);
  const find = (caller: Caller, { id }: { id: string }, { clientId }: { clientId?: string }) => {
    const scope = toStorageScope(caller, clientId);
    return isId(id) ? ports.integrations.findIntegration(scope, id) : undefined;
  };

  app.post(
    "/storage-integrations",
    {
      schema: {
        tags,
        summary: "Create a storage integration",
        querystring: storageIntegrationOwnerQuery,
        body: storageIntegrationRequest,
        response: { 200: storageIntegration },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, async ({ integrations }) => {
        const { urls, vault } = ports;
        const given = { request: request.body, clientIdOfQuery: request.query.clientId };
        return toView(
          await createStorageIntegration({ urls, vault, integrations }, getCaller(request), given),
        );
      }),
  );

  app.get(
    "/storage-integrations",
    {
      schema: {
        tags,
        summary: "List storage integrations, newest first",
        querystring: storageIntegrationPageQuery,
        response: { 200: z.array(storageIntegration) },
      },
    },
    async (request, reply) => {
      const { clientId, ...page } = request.query;
      const scope = toStorageScope(getCaller(request), clientId);
      const { items, total } = await ports.integrations.listIntegrations(scope, page);
      void reply.header("x-total-count", total);
      return items.map(toView);
    },
  );

  app.get(
    "/storage-integrations/:id",
    {
      schema: {
        ...shared,
        summary: "Get a storage integration",
        response: { 200: storageIntegration.nullable() },
      },
    },
    async (request, reply) => {
      const found = await find(getCaller(request), request.params, request.query);
      if (found) return toView(found);
      // A null payload would be sent as an empty body.
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .serializer(() => "null")
        .send({} as never);
    },
  );

  app.delete(
    "/storage-integrations/:id",
    {
      schema: { ...shared, summary: "Delete a storage integration", response: { 200: storageIntegration } },
    },
    async (request) => {
      const scope = toStorageScope(getCaller(request), request.query.clientId);
      const remove = (id: string) => ports.integrations.deleteIntegration(scope, id);
      const deleted = await getFound(request.params.id, remove, unknownIntegration);
      if (deleted === "in-use")
        throw new ApiError(
          "STORAGE_INTEGRATION_IN_USE",
          "An unfinished Task uses this storage integration; wait for it or delete it first",
        );
      return toView(deleted);
    },
  );

  app.post(
    "/storage-integrations/:id/verify",
    {
      schema: {
        ...shared,
        summary: "Verify a storage integration",
        response: { 200: storageVerification },
      },
    },
    (request, reply) =>
      onceHarmless(ports, { request, reply }, async () => {
        const found = await find(getCaller(request), request.params, request.query);
        if (!found) throw unknownIntegration();
        return await verifyStorage(() => ports.buckets.open(found));
      }),
  );
}
