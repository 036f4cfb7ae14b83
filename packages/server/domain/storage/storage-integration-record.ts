import type { StorageType } from "@stemwright/contract";

export type StorageIntegrationRecord = {
  id: string;
  clientId: string;
  type: StorageType;
  /** The bucket or container. */
  storageName: string;
  /** As clients see it: every secret reads `***`. */
  authConfig: Record<string, unknown>;
  sealedSecrets: Buffer;
  createdAt: Date;
  updatedAt: Date;
};

/** Whose integrations a caller may see: one client's, or everybody's. */
export type StorageScope = { clientId?: string };
