import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

export const LEGACY_JOB_STATUSES = ["created", "processing", "completed", "failed"] as const;

export const legacyAsset = z
  .object({ id, name: z.string(), fileType: z.string(), format: z.string(), link: z.string() })
  .meta({ id: "LegacyAsset" });
export type LegacyAsset = z.infer<typeof legacyAsset>;

export const legacyJobMetadata = z.object({
  name: z.string(),
  format: z.string(),
  residual: z.boolean().optional(),
  variant: z.string().optional(),
  language: z.string().optional(),
});

export const legacyJobRequest = z
  .object({
    assetId: plainText(60),
    callbackUrl: plainText(4096).optional(),
    metadata: legacyJobMetadata,
    otherSourceAssets: z.array(z.object({ id: plainText(60), type: z.literal("transcription") })).optional(),
  })
  .meta({ id: "LegacyJobRequest" });
export type LegacyJobRequest = z.infer<typeof legacyJobRequest>;

export const legacyJob = z
  .object({
    id,
    clientId: z.string(),
    requestId: z.string(),
    metadata: legacyJobMetadata,
    callbackUrl: z.string().optional(),
    status: z.enum(LEGACY_JOB_STATUSES),
    createdAt: dateTime.optional(),
    startedAt: dateTime.nullable().optional(),
    updatedAt: dateTime.optional(),
    statusInfo: z.object({ code: z.int().optional(), message: z.string().optional() }).optional(),
    sourceAsset: legacyAsset.nullable().optional(),
    outputAssets: z.array(legacyAsset).optional(),
    stemAssets: z.array(legacyAsset).optional(),
  })
  .meta({ id: "LegacyJob" });
export type LegacyJob = z.infer<typeof legacyJob>;

export const legacyUsage = z
  .object({
    clientId: z.string(),
    usage: z.array(z.object({ month: z.string(), totalJobs: z.int(), totalMinutes: z.string() })),
  })
  .meta({ id: "LegacyUsage" });
export type LegacyUsage = z.infer<typeof legacyUsage>;
