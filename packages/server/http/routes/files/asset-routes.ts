import { asset, assetListQuery, idParams } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { AssetRecord } from "../../../domain/assets/asset-record.ts";
import { toAsset } from "../../../domain/assets/asset-view.ts";
import { deleteAsset } from "../../../domain/assets/delete-asset.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { keepAsset } from "../../uploads/keep-asset.ts";
import { receiveUpload } from "../../uploads/receive-upload.ts";

const unknownAsset = makeUnknownError("asset");

/** Receives an upload. A repetition under the same `Idempotency-Key` returns the first asset. */
export async function receiveAsset<Answer extends { id: string }>(
  api: Api<"blobs" | "quota" | "unclaimed" | "writes">,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  toAnswer: (asset: AssetRecord) => Answer,
): Promise<Answer> {
  const { stored, sha256 } = await receiveUpload(api, exchange.request, { fileField: "file" });
  const content = { name: stored.name, sha256 };
  return await keepAsset(api.ports, exchange, { stored, store: async () => stored, content, toAnswer });
}

export function addAssetRoutes(api: Api<"assets" | "blobs" | "quota" | "unclaimed" | "writes">): void {
  const { app, ports, links } = api;
  const tags = ["Assets"];

  app.post(
    "/assets",
    {
      config: { isLong: true },
      schema: {
        tags,
        summary: "Upload a file",
        description: "multipart/form-data with one part named `file`.",
        consumes: ["multipart/form-data"],
        response: { 200: asset },
      },
    },
    (request, reply) => receiveAsset(api, { request, reply }, (stored) => toAsset(stored, links)),
  );

  app.get(
    "/assets",
    {
      schema: {
        tags,
        summary: "List assets, newest first",
        querystring: assetListQuery,
        response: { 200: z.array(asset) },
      },
    },
    async (request, reply) => {
      const { items, total } = await ports.assets.listAssets(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      return items.map((item) => toAsset(item, links));
    },
  );

  app.get(
    "/assets/:id",
    { schema: { tags, summary: "Get an asset", params: idParams, response: { 200: asset } } },
    async (request) => {
      const { clientId } = getCaller(request);
      const find = (id: string) => ports.assets.findAsset(clientId, id);
      return toAsset(await getFound(request.params.id, find, unknownAsset), links);
    },
  );

  app.delete(
    "/assets/:id",
    { schema: { tags, summary: "Delete an asset and its file", params: idParams, response: { 200: asset } } },
    async (request) => {
      const { id } = request.params;
      const { clientId } = getCaller(request);
      return toAsset(await getFound(id, () => deleteAsset(ports, clientId, id), unknownAsset), links);
    },
  );
}
