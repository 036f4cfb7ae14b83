import type { TargetErrorName } from "@stemwright/contract";
import { BucketError, type BucketErrorKind } from "../../domain/storage/bucket.ts";
import type { StorageScope } from "../../domain/storage/storage-integration-record.ts";
import type { StoragePorts } from "../../domain/storage/storage-ports.ts";
import { isTransientFailure } from "../../net/transient.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type Download, downloadFile } from "./download-file.ts";

export const NAME_OF_KIND: Record<BucketErrorKind, TargetErrorName> = {
  "not-found": "INPUT_NOT_FOUND",
  "access-denied": "INPUT_ACCESS_DENIED",
  failed: "INPUT_FETCH_FAILED",
  "not-set-up": "NOT_SET_UP",
};

export type BucketFilePorts = Pick<StoragePorts, "integrations" | "buckets">;

/** An object of a customer's bucket; `scope` has the integrations that may be used. */
export type BucketOrigin = { scope: StorageScope; integrationId: string; key: string };

const findRetry = (error: unknown) => {
  const isTransient = error instanceof BucketError ? error.isTransient : isTransientFailure(error);
  return isTransient ? { afterMs: 0 } : undefined;
};

/** Copies an object from a customer's bucket to a local file. */
export async function fetchBucketFile(
  ports: BucketFilePorts,
  { scope, integrationId, key }: BucketOrigin,
  download: Omit<Download, "openPart" | "findRetry">,
): Promise<void> {
  const integration = await ports.integrations.findIntegration(scope, integrationId);
  if (!integration) throw new TargetFailure("INPUT_ACCESS_DENIED", "The storage integration was deleted");
  const { signal } = download;
  try {
    await downloadFile({
      ...download,
      findRetry,
      async openPart({ startByte, version }) {
        const bucket = await ports.buckets.open(integration);
        const part = await bucket.read(key, { signal, version, ...(startByte > 0 ? { startByte } : {}) });
        return { ...part, startByte };
      },
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof BucketError)) throw error;
    throw new TargetFailure(
      NAME_OF_KIND[error.kind],
      // Whoever reads another client's output by its link need not know the bucket.
      `The ${download.what} could not be read from ${scope.clientId === undefined ? "its bucket" : integration.storageName}: ${error.message}`,
    );
  }
}
