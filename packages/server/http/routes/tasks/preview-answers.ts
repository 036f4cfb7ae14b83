import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { PreviewParts } from "../../../domain/previews/load-previews.ts";

/** A day: what is stored under a version is never changed. */
const KEPT_SECONDS = 86_400;

/** The answer's place in /openapi.json. */
export const previewParts = {
  200: {
    description:
      "Parts behind each other, in the order of `tracks`; each is its length in bytes as a 32-bit number, little-endian, and then so many bytes",
    content: { "application/octet-stream": { schema: z.unknown().meta({ description: "Bytes" }) } },
  },
};

/** Whoever has it once need not ask again: going back costs nothing. */
export function sendPreviewParts(reply: FastifyReply, { body, isFinal }: PreviewParts): FastifyReply {
  return reply
    .header("content-type", "application/octet-stream")
    .header("cache-control", isFinal ? `private, max-age=${KEPT_SECONDS}, immutable` : "no-store")
    .header("vary", "x-api-key")
    .send(body);
}
