import { idempotencyHeaders } from "@stemwright/contract";
import type { RouteOptions } from "fastify";

/** Every POST takes an `Idempotency-Key`. */
export function addIdempotencyHeader({ method, schema }: RouteOptions): void {
  if (schema && !schema.hide && [method].flat().includes("POST")) schema.headers = idempotencyHeaders;
}
