import { idempotencyHeaders } from "@stemwright/contract";
import type { RouteOptions } from "fastify";
import { z } from "zod";

const clientId = z
  .string()
  .min(1)
  .max(100)
  .exactOptional()
  .meta({ description: "The client to act for; for administrators. Others may name only themselves" });

/** Adds `clientId` to every route that acts for one client, so that an administrator can name it. */
export function addClientIdParameter(route: RouteOptions): void {
  const { schema, config = {} } = route;
  if (!schema || schema.hide || config.isAdmin || (config.isPublic && !config.takesClientId)) return;
  route.config = { ...config, takesClientId: true };
  const query = (schema.querystring ?? z.object({})) as z.ZodObject;
  if (!("clientId" in query.shape)) schema.querystring = query.safeExtend({ clientId });
}

/** Adds `Idempotency-Key` to every POST. */
export function addIdempotencyHeader({ method, schema }: RouteOptions): void {
  if (!schema || schema.hide || ![method].flat().includes("POST")) return;
  const { headers = z.looseObject({}) } = schema as { headers?: z.ZodObject };
  schema.headers = headers.safeExtend(idempotencyHeaders.shape);
}
