import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { ApiError, asset, idParams, pageQuery } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { toAsset } from "../../domain/assets/asset-view.ts";
import { storeUpload, toAssetFolder, toCleanName } from "../../domain/assets/store-upload.ts";
import { getFound, makeUnknownError } from "../../domain/get-found.ts";
import { removeDeleted } from "../../domain/remove-deleted.ts";
import { discardFiles } from "../../domain/unclaimed-files.ts";
import type { Api } from "../api.ts";
import { getCaller } from "../authenticate.ts";
import { discardUpload, isRepeatable, keepAsset } from "../keep-asset.ts";
import { passOverRest } from "../pass-over-rest.ts";

const unknownAsset = makeUnknownError("asset");

/** What the form's parser complains of, which it tells in words only, and a connection that broke. Others, such as the store's, stay as they are. */
function toUploadError(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof ApiError) return error;
  const { message } = error as Error;
  if (/boundary not found|^the needle cannot/i.test(message))
    return new ApiError(
      "CONTENT_TYPE_UNSUPPORTED",
      "The content type multipart/form-data needs a boundary of 1 to 250 characters",
    );
  const { raw } = request;
  const isCutOff = raw.destroyed && !raw.complete;
  if (isCutOff || /unexpected end of multipart data/i.test(message))
    return new ApiError(
      "UPLOAD_BROKEN",
      "The upload ended before it was whole; nothing was kept. Send it again",
    );
  return error;
}

/** Passes a stream on, and hashes what goes by. */
async function* hashOnTheWay(content: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk as Buffer);
    yield chunk as Buffer;
  }
}

const findExpectedBytes = ({ headers }: FastifyRequest) =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** The upload's one file; a second file part is refused, and the first is then taken out again. */
async function storeOnlyFile({ ports, config }: Api, request: FastifyRequest) {
  const hash = isRepeatable(request) ? createHash("sha256") : undefined;
  let stored: AssetRecord | undefined;
  try {
    for await (const part of request.parts()) {
      if (part.type !== "file") continue;
      if (stored) throw new ApiError("UPLOAD_FILE_EXTRA", "Send one file part; this upload has more");
      if (part.fieldname !== "file") {
        part.file.resume();
        throw new ApiError(
          "UPLOAD_FILE_MISSING",
          `The file part is named "${part.fieldname}"; name it "file"`,
        );
      }
      const name = toCleanName(part.filename ?? "");
      stored = await storeUpload(ports, getCaller(request), {
        name,
        names: [name],
        contentType: part.mimetype,
        content: hash ? Readable.from(hashOnTheWay(part.file, hash), { objectMode: false }) : part.file,
        maxBytes: config.uploadMaxBytes,
        expectedBytes: findExpectedBytes(request),
      });
    }
  } catch (error) {
    const isTooSlow = error instanceof ApiError && error.code === "REQUEST_TIMEOUT";
    if (!isTooSlow) await passOverRest(request);
    if (stored) await discardUpload(ports, stored.id);
    throw toUploadError(error, request);
  }
  if (!stored)
    throw new ApiError(
      "UPLOAD_FILE_MISSING",
      'The upload has no file; send it in a multipart part named "file"',
    );
  return { stored, sha256: hash?.digest("hex") };
}

/** Takes an upload in; one that repeats an earlier one under its `Idempotency-Key` is that one. */
export async function takeUpload<Answer extends { id: string }>(
  api: Api,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  toAnswer: (asset: AssetRecord) => Answer,
): Promise<Answer> {
  const { stored, sha256 } = await storeOnlyFile(api, exchange.request);
  const content = { name: stored.name, sha256 };
  return await keepAsset(api.ports, exchange, { stored, store: async () => stored, content, toAnswer });
}

export function addAssetRoutes(api: Api): void {
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
    (request, reply) => takeUpload(api, { request, reply }, (stored) => toAsset(stored, links)),
  );

  app.get(
    "/assets",
    {
      schema: {
        tags,
        summary: "List assets, newest first",
        querystring: pageQuery,
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
      const deleted = await getFound(id, () => ports.assets.deleteAsset(clientId, id), unknownAsset);
      await removeDeleted([discardFiles(ports, toAssetFolder(id))]);
      return toAsset(deleted, links);
    },
  );
}
