import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { storeUpload, toCleanName, type UploadContent } from "../../domain/assets/store-upload.ts";
import { getCaller } from "../access/authenticate.ts";
import type { Api } from "../api.ts";
import { isForClient } from "../errors/error-mapper.ts";
import { passOverRest } from "../requests/pass-over-rest.ts";
import { discardUpload, isRepeatable } from "./keep-asset.ts";

/** Fields are held in memory; no form needs more than this. */
const MAX_FIELD_BYTES = 64 * 1024;
const FORM_LIMITS = { fieldSize: MAX_FIELD_BYTES, fields: 200, parts: 208 };

export type FormField = { name: string; value: string };

export type ReceivedUpload = {
  stored: AssetRecord;
  /** Only for requests with an `Idempotency-Key`. */
  sha256: string | undefined;
  /** Those in `fieldNames`, in the form's order. */
  fields: FormField[];
};

/** Maps errors of the form's parser, which differ only in their message, and broken connections. Others, such as the store's, are kept. */
function toUploadError(error: unknown, request: FastifyRequest): unknown {
  if (isForClient(error)) return error;
  const { message } = error as Error;
  if (/boundary not found|^the needle cannot/i.test(message))
    return new ApiError(
      "CONTENT_TYPE_UNSUPPORTED",
      "The content type multipart/form-data needs a boundary of 1 to 250 characters",
    );
  const { raw } = request;
  const isCutOff = raw.destroyed && !raw.complete;
  if (isCutOff || /unexpected end of multipart data/i.test(message))
    return new ApiError("UPLOAD_BROKEN", "The upload broke off; nothing was kept. Send it again");
  return error;
}

/** Passes a stream through and hashes it. */
async function* hashOnTheWay(content: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk as Buffer);
    yield chunk as Buffer;
  }
}

const findExpectedBytes = ({ headers }: FastifyRequest) =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Stores the upload's one file. If there is a second, the first is removed again and the request rejected. */
export async function receiveUpload(
  { ports, config }: Api<"blobs" | "quota" | "unclaimed">,
  request: FastifyRequest,
  options: {
    /** The name of the part that holds the file. */
    fileField: string;
    /** Fields to return; others are ignored. */
    fieldNames?: readonly string[];
    /** Transforms the file's content before it is stored. */
    adapt?: (upload: UploadContent) => Promise<UploadContent>;
  },
): Promise<ReceivedUpload> {
  const { fileField, fieldNames = [], adapt = async (upload) => upload } = options;
  const hash = isRepeatable(request) ? createHash("sha256") : undefined;
  const fields: FormField[] = [];
  let stored: AssetRecord | undefined;
  try {
    for await (const part of request.parts({ limits: FORM_LIMITS })) {
      if (part.type !== "file") {
        if (fieldNames.includes(part.fieldname)) fields.push(toField(part));
        continue;
      }
      if (stored) throw new ApiError("UPLOAD_FILE_EXTRA", "Send one file part; this upload has more");
      if (part.fieldname !== fileField) {
        part.file.resume();
        throw new ApiError(
          "UPLOAD_FILE_MISSING",
          `The file part is named "${part.fieldname}"; name it "${fileField}"`,
        );
      }
      const name = toCleanName(part.filename ?? "");
      const upload = await adapt({
        name,
        names: [name],
        contentType: part.mimetype,
        content: hash ? Readable.from(hashOnTheWay(part.file, hash), { objectMode: false }) : part.file,
        maxBytes: config.uploadMaxBytes,
        expectedBytes: findExpectedBytes(request),
      });
      stored = await storeUpload(ports, getCaller(request), upload);
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
      `The upload has no file; send it in a multipart part named "${fileField}"`,
    );
  return { stored, sha256: hash?.digest("hex"), fields };
}

function toField(part: { fieldname: string; value: unknown; valueTruncated: boolean }): FormField {
  const { fieldname: name, value, valueTruncated } = part;
  if (valueTruncated)
    throw new ApiError("REQUEST_INVALID", `${name} has more than ${MAX_FIELD_BYTES} bytes`, [
      { path: name, message: `has more than ${MAX_FIELD_BYTES} bytes` },
    ]);
  // The parser has already parsed parts of type application/json.
  return { name, value: typeof value === "string" ? value : JSON.stringify(value) };
}
