import type { Blobs } from "../domain/ports.ts";
import { BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { StoreOutage } from "../domain/storage/store-outage.ts";
import { isConnectionError } from "../faults/is-out-of-reach.ts";
import { findReason } from "../net/find-reason.ts";

/** Errors of a lost or broken file system, such as a network mount; a full disk is handled elsewhere. */
const LOST_FILE_SYSTEM = ["EIO", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ENODEV", "ENXIO", "EROFS", "EACCES"];

/** What the operator can do if a bucket answers with an error. */
const ADVICE: Partial<Record<BucketErrorKind, string>> = {
  "not-found":
    "Files can't be stored: the bucket of S3_BUCKET does not exist. The operator must create it, or correct S3_BUCKET",
  "access-denied":
    "Files can't be stored: the store refuses the service. The operator must correct its credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or the policy of the bucket",
};
const toOutage = (error: unknown) =>
  new StoreOutage(error, error instanceof BucketError ? ADVICE[error.kind] : undefined);

function isStoreOutage(error: unknown): boolean {
  if (error instanceof BucketError) return error.kind !== "not-found";
  return LOST_FILE_SYSTEM.includes((error as NodeJS.ErrnoException).code ?? "");
}

export async function tell<Result>(call: Promise<Result>, isOutage = isStoreOutage): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw isOutage(error) ? toOutage(error) : error;
  }
}

/** A read that breaks midway throws the connection's error. For a write that says nothing: its content may have broken. */
const isBrokenRead = (error: unknown) => isStoreOutage(error) || isConnectionError(findReason(error));

/** A write needs no existing object, so if something is missing it is the bucket. */
const isFailedWrite = (error: unknown) => error instanceof BucketError || isStoreOutage(error);

/** Our own store; outages become `StoreOutage`, to tell them apart from faults of a request or a Task. */
export function withOutages(own: Blobs): Blobs {
  return {
    write: (key, content, options) => tell(own.write(key, content, options), isFailedWrite),
    adopt: (key, path) => tell(own.adopt(key, path), isFailedWrite),
    findSize: (key) => tell(own.findSize(key)),
    read: (key, range) => tell(own.read(key, range)),
    findBytes: (key) => tell(own.findBytes(key), isBrokenRead),
    copyTo: (key, path) => tell(own.copyTo(key, path), isBrokenRead),
    async withLocalFile(key, use) {
      let isInUse = false;
      const call = own.withLocalFile(key, (path) => {
        isInUse = true;
        return use(path);
      });
      return await tell(call, (error) => !isInUse && isBrokenRead(error));
    },
    delete: (keyPrefix) => tell(own.delete(keyPrefix)),
    check: () => tell(own.check(), () => true),
  };
}
