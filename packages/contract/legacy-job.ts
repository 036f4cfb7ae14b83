import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { givenId, plainText, storableText } from "./plain-text.ts";

export const LEGACY_JOB_STATUSES = ["created", "processing", "completed", "failed"] as const;
export type LegacyJobStatus = (typeof LEGACY_JOB_STATUSES)[number];

export const legacyAsset = z
  .object({
    id,
    name: z.string().meta({ description: "With extension", example: "vocals.wav" }),
    fileType: z.string().meta({ description: "MIME type", example: "audio/wav" }),
    format: z.string().meta({ example: "wav" }),
    link: z.string().meta({ description: "Download link, good for one hour" }),
  })
  .meta({ id: "LegacyAsset" });
export type LegacyAsset = z.infer<typeof legacyAsset>;

export const legacyLinkRequest = z
  .object({
    link: plainText(4096).meta({ description: "https:// address of the file" }),
    name: storableText.max(255).exactOptional().meta({ description: "File name; by default the link's own" }),
  })
  .meta({ id: "LegacyLinkRequest" });
export type LegacyLinkRequest = z.infer<typeof legacyLinkRequest>;

export const legacyJobMetadata = z.object({
  name: plainText(100).meta({ description: "A model id", example: "vocals" }),
  format: plainText(16).meta({ example: "wav" }),
  residual: z.boolean().exactOptional(),
  variant: plainText(64).exactOptional(),
  language: plainText(16).exactOptional(),
});
export type LegacyJobMetadata = z.infer<typeof legacyJobMetadata>;

/** As given, but without the limits on requests. */
const repeatedMetadata = z.object({
  name: z.string().meta({ description: "A model id", example: "vocals" }),
  format: z.string().meta({ example: "wav" }),
  residual: z.boolean().exactOptional(),
  variant: z.string().exactOptional(),
  language: z.string().exactOptional(),
});

export const legacyJobRequest = z
  .object({
    assetId: givenId,
    callbackUrl: plainText(4096).exactOptional(),
    metadata: legacyJobMetadata,
    otherSourceAssets: z
      .array(z.object({ id: givenId, type: z.literal("transcription") }))
      .max(1, "may name one transcription")
      .exactOptional()
      .meta({ description: "The transcript of an alignment" }),
  })
  .meta({ id: "LegacyJobRequest" });
export type LegacyJobRequest = z.infer<typeof legacyJobRequest>;

export const newLegacyJob = z
  .object({
    id,
    clientId: z.string(),
    requestId: z.string(),
    metadata: repeatedMetadata,
    callbackUrl: z.string().exactOptional(),
    status: z.enum(LEGACY_JOB_STATUSES),
  })
  .meta({ id: "NewLegacyJob" });
export type NewLegacyJob = z.infer<typeof newLegacyJob>;

export const legacyJob = newLegacyJob
  .extend({
    createdAt: dateTime,
    startedAt: dateTime.nullable(),
    updatedAt: dateTime,
    statusInfo: z
      .object({ code: z.int().exactOptional(), message: z.string().exactOptional() })
      .meta({ description: "Filled when the job failed" }),
    sourceAsset: legacyAsset.nullable().meta({ description: "Null once the asset was deleted" }),
    outputAssets: z.array(legacyAsset),
    stemAssets: z.array(legacyAsset).meta({ description: "The output assets, under their older name" }),
  })
  .meta({ id: "LegacyJob" });
export type LegacyJob = z.infer<typeof legacyJob>;

export const legacyUsage = z
  .object({
    clientId: z.string(),
    usage: z.array(
      z.object({
        month: z.string().meta({ example: "2026-01" }),
        totalJobs: z.int(),
        totalMinutes: z.string().meta({ description: "Two decimals", example: "12.50" }),
      }),
    ),
  })
  .meta({ id: "LegacyUsage" });
export type LegacyUsage = z.infer<typeof legacyUsage>;
