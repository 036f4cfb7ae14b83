import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

/** The content type of a piece of a file, by the tus protocol. */
export const UPLOAD_BYTES_TYPE = "application/offset+octet-stream";

/** Names the file for the client that sends it, to find an unfinished upload of it again. */
const fingerprint = plainText(500).min(1);

export const uploadPart = z.object({
  number: z.int().meta({ description: "From 1" }),
  start: z.int().meta({ description: "Where it starts in the file, in bytes" }),
  size: z.int().meta({ description: "Bytes; the URL takes exactly as many" }),
  url: z.string().meta({ description: "Presigned; PUT the bytes there, without a key. Good for one hour" }),
});
export type UploadPart = z.infer<typeof uploadPart>;

export const upload = z
  .object({
    id: id.meta({ description: "Also the id of the asset that it becomes" }),
    name: z.string().meta({ description: "The file's name", example: "film.mp4" }),
    size: z.int().meta({ description: "Bytes of the whole file" }),
    offset: z.int().meta({ description: "Bytes that are stored; the next one to send" }),
    isReceiving: z.boolean().meta({ description: "Whether bytes arrived within the last seconds" }),
    fingerprint: fingerprint.exactOptional(),
    createdAt: dateTime,
    expiresAt: dateTime
      .exactOptional()
      .meta({ description: "When it is removed if nothing more arrives; absent once it is an asset" }),
    parts: z.array(uploadPart).exactOptional().meta({
      description: "Of a direct upload: up to 100 parts that are missing; none once all are stored",
    }),
  })
  .meta({ id: "Upload", description: "A file that is sent in several requests" });
export type Upload = z.infer<typeof upload>;

export const directUploadRequest = z
  .object({
    name: plainText(1000).min(1).meta({ description: "The file's name", example: "film.mp4" }),
    size: z.int().min(0).meta({ description: "Bytes of the whole file" }),
    contentType: plainText(200).exactOptional(),
    fingerprint: fingerprint.exactOptional(),
  })
  .meta({ id: "DirectUploadRequest" });
export type DirectUploadRequest = z.output<typeof directUploadRequest>;
