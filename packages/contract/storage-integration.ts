import { z } from "zod";
import { dateTime, id } from "./id.ts";

export const STORAGE_TYPES = ["aws", "s3", "gcp", "azure"] as const;

export const storageIntegrationRequest = z
  .object({
    type: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: `One of ${STORAGE_TYPES.join(", ")}` }),
    storageName: z.string().min(1).max(512).meta({ description: "Bucket, container or account" }),
    authConfig: z.record(z.string(), z.unknown()),
    clientId: z.string().min(1).max(100).optional().meta({ description: "Administrators only" }),
  })
  .meta({ id: "StorageIntegrationRequest" });
export type StorageIntegrationRequest = z.infer<typeof storageIntegrationRequest>;

export const storageIntegration = z
  .object({
    id,
    clientId: z.string(),
    type: z.string(),
    storageName: z.string(),
    authConfig: z.record(z.string(), z.unknown()).meta({ description: "Secrets read `***`" }),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: "StorageIntegration" });
export type StorageIntegration = z.infer<typeof storageIntegration>;
