import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { PreviewParts } from "../../../domain/previews/load-previews.ts";

/** Stored previews of a version never change. */
const KEPT_SECONDS = 86_400;

/** The response in /openapi.json. */
export const previewParts = {
  200: {
    description:
      "Concatenated parts, in the order of `tracks`; each is preceded by its length in bytes as a 32-bit little-endian number",
    content: { "application/octet-stream": { schema: z.unknown().meta({ description: "Bytes" }) } },
  },
};

/** Final parts are cached by the browser, so seeking back is free. */
export function sendPreviewParts(reply: FastifyReply, { body, isFinal }: PreviewParts): FastifyReply {
  return reply
    .header("content-type", "application/octet-stream")
    .header("cache-control", isFinal ? `private, max-age=${KEPT_SECONDS}, immutable` : "no-store")
    .header("vary", "x-api-key")
    .send(body);
}
