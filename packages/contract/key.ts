import { z } from "zod";
import { dateTime, id } from "./id.ts";

export const KEY_ROLES = ["client", "admin"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

export const KEY_KINDS = ["key", "legacy"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const apiKey = z
  .object({
    id,
    clientId: z.string(),
    name: z.string(),
    role: z.enum(KEY_ROLES),
    kind: z.enum(KEY_KINDS),
    createdAt: dateTime,
    lastUsedAt: dateTime.nullable(),
    revokedAt: dateTime.nullable(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;
