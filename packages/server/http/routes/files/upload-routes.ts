import {
  ApiError,
  asset,
  directUploadRequest,
  idParams,
  pageQuery,
  UPLOAD_BYTES_TYPE,
  upload,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { toAsset } from "../../../domain/assets/asset-view.ts";
import { getFound } from "../../../domain/get-found.ts";
import { appendToUpload } from "../../../domain/uploads/append-to-upload.ts";
import { asOnlyWriter, settleUpload } from "../../../domain/uploads/as-only-writer.ts";
import { makeUpload } from "../../../domain/uploads/create-upload.ts";
import { completeUpload } from "../../../domain/uploads/finish-upload.ts";
import { toPartialFile } from "../../../domain/uploads/partial-files.ts";
import { type UploadPlace, unknownUpload } from "../../../domain/uploads/upload-record.ts";
import { loadDirectUpload, toFinishedUpload, toUpload } from "../../../domain/uploads/upload-view.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { onceAfter, onceHarmless } from "../../requests/once.ts";
import { passOverRest } from "../../requests/pass-over-rest.ts";
import { openBody } from "../../uploads/open-body.ts";
import {
  checkTusVersion,
  creationHeaders,
  describeTus,
  parseUploadMetadata,
  pieceHeaders,
  TUS_VERSION,
  versionHeaders,
} from "../../uploads/tus-headers.ts";

const tags = ["Assets"];
const nothing = (description: string) => z.null().meta({ description });

type UploadApi = Api<"assets" | "partials" | "uploads" | "unclaimed" | "writes">;

const isBytes = ({ headers }: FastifyRequest) =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === UPLOAD_BYTES_TYPE;

const getPlace = (request: FastifyRequest, { id }: { id: string }): UploadPlace => ({
  clientId: getCaller(request).clientId,
  id,
});

async function speakTus(
  { headers }: { headers: { "tus-resumable"?: string | undefined } },
  reply: FastifyReply,
): Promise<void> {
  void reply.headers({ "tus-resumable": TUS_VERSION, "tus-version": TUS_VERSION });
  checkTusVersion(headers);
}

/** Resumable uploads by the tus protocol, and direct ones into the bucket. */
export function addUploadRoutes(api: UploadApi): void {
  addTusRoutes(api);
  addUploadViewRoutes(api);
}

function addTusRoutes({ app, ports, publicBaseUrl, config }: UploadApi): void {
  const maxBytes = config.uploadMaxBytes;
  const closing = new AbortController();
  app.addHook("preClose", async () => {
    closing.abort(new ApiError("UNAVAILABLE", "The service is shutting down; what arrived is kept"));
  });

  async function append(request: FastifyRequest, place: UploadPlace, offset: number): Promise<number> {
    const { "content-length": length } = request.headers;
    const piece = {
      offset,
      sizeBytes: length === undefined ? undefined : Number(length),
      open: (signal: AbortSignal) => openBody(request, signal),
    };
    try {
      return await appendToUpload(ports, place, { piece, signal: closing.signal });
    } catch (error) {
      const isTooSlow = error instanceof ApiError && error.code === "REQUEST_TIMEOUT";
      if (!isTooSlow) await passOverRest(request);
      throw error;
    }
  }

  async function tellState(reply: FastifyReply, { clientId, id }: UploadPlace, storedBytes: number) {
    void reply.header("upload-offset", storedBytes);
    const unfinished = await ports.uploads.findUpload(clientId, id);
    if (unfinished) void reply.header("upload-expires", unfinished.expiresAt.toUTCString());
  }

  app.post(
    "/uploads",
    {
      onRequest: speakTus,
      config: { isLong: true, takesBytes: true, optionsHeaders: describeTus(maxBytes) },
      schema: {
        tags,
        summary: "Create a resumable upload",
        description:
          "By the tus protocol. The body may be the first piece of the file, as `application/offset+octet-stream`. The response's `Location` is the upload.",
        headers: creationHeaders,
        response: { 201: nothing("Created; `Location`, `Upload-Offset` and `Upload-Expires` are headers") },
      },
    },
    async (request, reply) => {
      const { "upload-length": sizeBytes, "upload-metadata": metadata = "" } = request.headers;
      const { clientId } = getCaller(request);
      const fields = parseUploadMetadata(metadata);
      const announced = makeUpload(
        clientId,
        {
          name: fields.get("filename") ?? fields.get("name") ?? "",
          contentType: fields.get("filetype") ?? fields.get("type"),
          fingerprint: fields.get("fingerprint"),
          sizeBytes,
          metadata,
        },
        { maxBytes },
      );
      const { id } = await onceAfter(
        ports,
        { request, reply },
        {
          content: [sizeBytes, metadata],
          prepare: async () => announced,
          async write({ uploads }) {
            await uploads.insertUpload(announced);
            return { id: announced.id };
          },
        },
      );
      const acting = (request.query as { clientId?: string }).clientId;
      const query = acting === undefined ? "" : `?clientId=${encodeURIComponent(acting)}`;
      void reply.code(201).header("location", `${publicBaseUrl()}/uploads/${id}${query}`);
      await tellState(
        reply,
        { clientId, id },
        isBytes(request) ? await append(request, { clientId, id }, 0) : 0,
      );
      return reply.send(null);
    },
  );

  app.head(
    "/uploads/:id",
    {
      onRequest: speakTus,
      config: { swagger: { exposeHeadRoute: true } },
      schema: {
        tags,
        summary: "Get the offset of a resumable upload",
        description: "By the tus protocol. Ends a request that still sends to it.",
        params: idParams,
        headers: versionHeaders,
        response: { 200: nothing("`Upload-Offset`, `Upload-Length` and `Upload-Expires` are headers") },
      },
    },
    async (request, reply) => {
      const place = getPlace(request, request.params);
      void reply.header("cache-control", "no-store");
      const found = await settleUpload(ports, place);
      if (found?.metadata) void reply.header("upload-metadata", found.metadata);
      const unfinished = found && found.storedBytes < found.sizeBytes ? found : undefined;
      const { sizeBytes } = unfinished ?? (await completeUpload(ports, place));
      void reply.header("upload-length", sizeBytes);
      await tellState(reply, place, unfinished?.storedBytes ?? sizeBytes);
      return reply.send(null);
    },
  );

  app.patch(
    "/uploads/:id",
    {
      onRequest: speakTus,
      config: { isLong: true, takesBytes: true, optionsHeaders: describeTus(maxBytes) },
      schema: {
        tags,
        summary: "Append to a resumable upload",
        description:
          "By the tus protocol, as `application/offset+octet-stream`. What arrives is kept even if the connection breaks. The last piece makes the asset, with the upload's id.",
        params: idParams,
        headers: pieceHeaders,
        response: { 204: nothing("Stored; `Upload-Offset` and `Upload-Expires` are headers") },
      },
    },
    async (request, reply) => {
      if (!isBytes(request))
        throw new ApiError("CONTENT_TYPE_UNSUPPORTED", `Send the bytes as ${UPLOAD_BYTES_TYPE}`);
      const place = getPlace(request, request.params);
      await tellState(reply, place, await append(request, place, request.headers["upload-offset"]));
      return reply.code(204).send(null);
    },
  );

  app.delete(
    "/uploads/:id",
    {
      onRequest: speakTus,
      schema: {
        tags,
        summary: "Delete an unfinished upload",
        params: idParams,
        headers: versionHeaders,
        response: { 204: nothing("Deleted") },
      },
    },
    async (request, reply) => {
      const place = getPlace(request, request.params);
      await asOnlyWriter(ports, place, {
        async work({ upload: found, token }) {
          await ports.partials.abort(toPartialFile(found));
          await ports.uploads.deleteUpload(found.id, token);
        },
      });
      return reply.code(204).send(null);
    },
  );
}

function addUploadViewRoutes({ app, ports, links, config }: UploadApi): void {
  function getDirect() {
    const { direct } = ports.partials;
    if (direct) return direct;
    throw new ApiError(
      "DIRECT_UPLOADS_OFF",
      "This installation takes no uploads into its bucket; start a resumable upload with POST /uploads",
    );
  }

  app.get(
    "/uploads",
    {
      schema: {
        tags,
        summary: "List unfinished uploads, newest first",
        querystring: pageQuery,
        response: { 200: z.array(upload) },
      },
    },
    async (request, reply) => {
      const { items, total } = await ports.uploads.listUploads(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      return items.map(toUpload);
    },
  );

  app.post(
    "/uploads/direct",
    {
      schema: {
        tags,
        summary: "Create a direct upload to the bucket",
        description:
          "PUT the parts of the response to their URLs, in any order, and ask with `GET /uploads/{id}` for those still missing; then complete it.",
        body: directUploadRequest,
        response: { 200: upload },
      },
    },
    async (request, reply) => {
      const direct = getDirect();
      const { name, size, contentType, fingerprint } = request.body;
      const { clientId } = getCaller(request);
      const { id } = await onceAfter(
        ports,
        { request, reply },
        {
          async prepare() {
            const announced = makeUpload(
              clientId,
              { name, sizeBytes: size, contentType, fingerprint },
              { maxBytes: config.uploadMaxBytes, isDirect: true },
            );
            return announced;
          },
          async write({ uploads }, announced) {
            await uploads.insertUpload(announced);
            return { id: announced.id };
          },
        },
      );
      const begun = await asOnlyWriter(
        ports,
        { clientId, id },
        {
          async work({ upload: found, record }) {
            if (found.multipartId !== undefined) return found;
            const multipartId = await ports.partials.begin(toPartialFile(found));
            await record({ multipartId });
            return { ...found, multipartId };
          },
        },
      );
      return await loadDirectUpload(begun, direct);
    },
  );

  app.get(
    "/uploads/:id",
    {
      schema: {
        tags,
        summary: "Get an upload",
        params: idParams,
        response: { 200: upload },
      },
    },
    async (request) => {
      const { clientId, id } = getPlace(request, request.params);
      const found = await ports.uploads.findUpload(clientId, id);
      if (found && !found.isDirect) return toUpload(found);
      if (found) {
        const view = await loadDirectUpload(found, getDirect());
        await ports.uploads.noteParts(id, view.offset);
        return view;
      }
      return toFinishedUpload(await getFound(id, () => ports.assets.findAsset(clientId, id), unknownUpload));
    },
  );

  app.post(
    "/uploads/:id/complete",
    {
      schema: {
        tags,
        summary: "Complete a direct upload",
        description: "Checks that all bytes are stored. It may be repeated.",
        params: idParams,
        response: { 200: asset },
      },
    },
    (request, reply) =>
      onceHarmless(ports, { request, reply }, async () =>
        toAsset(await completeUpload(ports, getPlace(request, request.params)), links),
      ),
  );
}
