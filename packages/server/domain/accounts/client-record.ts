import type { Client, Credits } from "@stemwright/contract";
import { sumCredits } from "../credits/credit-amounts.ts";
import type { StorageUse } from "../storage/storage-quota.ts";

export type ClientRecord = {
  id: string;
  name: string;
  isMetered: boolean;
  createdAt: Date;
  suspendedAt: Date | null;
  weight: number;
  /** Null if the service's setting applies. */
  runningMax: number | null;
  waitingMax: number | null;
  storageQuotaBytes: number | null;
  storage: StorageUse;
  balance: number;
  reserved: number;
};

export const toCredits = ({ balance, reserved }: { balance: number; reserved: number }): Credits => ({
  balance,
  reserved,
  available: sumCredits([balance, -reserved]),
});

export const toClient = (record: ClientRecord): Client => ({
  id: record.id,
  name: record.name,
  metered: record.isMetered,
  createdAt: record.createdAt.toISOString(),
  suspendedAt: record.suspendedAt?.toISOString() ?? null,
  weight: record.weight,
  runningMax: record.runningMax,
  waitingMax: record.waitingMax,
  storageQuotaBytes: record.storageQuotaBytes,
  storage: record.storage,
  credits: toCredits(record),
});
