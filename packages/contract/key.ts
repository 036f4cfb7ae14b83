import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

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

export const keyRequest = z
  .object({
    name: plainText(200).min(1).meta({ description: "For people", example: "Production" }),
    role: z.enum(KEY_ROLES).default("client"),
    kind: z
      .enum(KEY_KINDS)
      .default("key")
      .meta({ description: "`legacy` is a bearer token of the Jobs interface" }),
  })
  .refine(({ role, kind }) => role === "client" || kind === "key", {
    path: ["role"],
    error: "must be client for a legacy token",
  })
  .meta({ id: "ApiKeyRequest" });
export type KeyRequest = z.output<typeof keyRequest>;
export type KeyInput = z.input<typeof keyRequest>;

export const newApiKey = apiKey
  .extend({ secret: z.string().meta({ description: "The key itself; returned once" }) })
  .meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof newApiKey>;
