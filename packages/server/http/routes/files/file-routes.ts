import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import { ApiError, toFileName, toMimeType } from "@stemwright/contract";
import { z } from "zod";
import { toContentDisposition } from "../../../domain/content-disposition.ts";
import type { ShareRecord } from "../../../domain/shares/share-record.ts";
import { isCustomerBlobKey } from "../../../domain/storage/customer-object.ts";
import { findRecordingName, toDownloadName } from "../../../domain/tasks/recording-name.ts";
import { checkLink, linkQuery, sendWhileShared } from "../../access/signed-links.ts";
import type { Api } from "../../api.ts";
import { parseRange } from "../../responses/byte-range.ts";
import { isKnownTag } from "../../responses/not-modified.ts";

const fileBytes = z.unknown().meta({ description: "Bytes" });

/** Stored files never change, and each has its own key. */
const makeTag = (key: string) => `"${createHash("sha256").update(key).digest("base64url").slice(0, 27)}"`;

function describeMissing(key: string): string {
  return isCustomerBlobKey(key)
    ? "The file can't be read from your bucket: it or its storage integration was deleted"
    : "The file is no longer kept";
}

/** What people call a file: an upload as they named it, an output after the recording. */
async function findName(
  ports: Api<"assets" | "exports">["ports"],
  key: string,
  share: ShareRecord | undefined,
): Promise<string | undefined> {
  const [room, id = ""] = key.split("/");
  if (room === "assets") return await ports.assets.findAssetName(key);
  if (room !== "outputs" || (share && !share.showsName)) return undefined;
  const task = await ports.exports.findTask(id);
  const recording = task && (await findRecordingName(ports, task));
  const extension = extname(key);
  return recording && toDownloadName(recording, toFileName(basename(key, extension), extension.slice(1)));
}

/** Download links. The signature is the permission, so no key is needed. */
export function addFileRoutes({ app, ports, links }: Api<"assets" | "blobs" | "exports" | "shares">): void {
  app.get(
    "/files/*",
    {
      config: { isPublic: true },
      schema: {
        tags: ["Files"],
        summary: "Download a file",
        security: [{}],
        params: z.object({ "*": z.string() }),
        querystring: linkQuery,
        response: {
          200: { description: "The file", content: { "*/*": { schema: fileBytes } } },
          206: { description: "The requested range", content: { "*/*": { schema: fileBytes } } },
          304: z.null().meta({ description: "Not modified" }),
        },
      },
    },
    async (request, reply) => {
      const share = await checkLink({ links, shares: ports.shares }, request);
      const key = request.params["*"];
      const extension = extname(key);
      const sizeBytes = await ports.blobs.findSize(key);
      if (sizeBytes === undefined) throw new ApiError("NOT_FOUND", describeMissing(key));
      const name = await findName(ports, key, share);
      const tag = isCustomerBlobKey(key) ? undefined : makeTag(key);
      if (tag !== undefined) void reply.header("etag", tag);
      void reply
        .header("accept-ranges", "bytes")
        .header("content-type", toMimeType(extension.slice(1)))
        .header(
          "content-disposition",
          toContentDisposition(toFileName(basename(key, extension), extension.slice(1)), name),
        )
        // What a browser keeps would outlive the share.
        .header("cache-control", share ? "no-store" : "private, max-age=3600");
      if (tag !== undefined && isKnownTag(request.headers["if-none-match"], tag))
        return reply.code(304).send(null);
      const { "if-range": onlyFor } = request.headers;
      const wanted = request.method === "GET" ? request.headers.range : undefined;
      // A range only makes sense for the version the client already has part of.
      const range = parseRange(onlyFor === undefined || onlyFor === tag ? wanted : undefined, sizeBytes);
      if (range === "invalid") {
        void reply.header("content-range", `bytes */${sizeBytes}`);
        throw new ApiError("RANGE_INVALID", `The range is outside the file's ${sizeBytes} bytes`);
      }
      if (range) {
        void reply
          .code(206)
          .header("content-range", `bytes ${range.startByte}-${range.endByte}/${sizeBytes}`);
      }
      void reply.header("content-length", range ? range.endByte - range.startByte + 1 : sizeBytes);
      // Unlike an empty body, an empty stream leaves content-length as it is.
      if (request.method === "HEAD") return reply.send(Readable.from([]));
      return sendWhileShared(ports, { reply, share }, await ports.blobs.read(key, range));
    },
  );
}
