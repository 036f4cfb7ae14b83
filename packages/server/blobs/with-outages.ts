import type { Blobs } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { StoreOutage } from "../domain/store-outage.ts";
import { isConnectionError } from "../is-out-of-reach.ts";
import { findReason } from "../net/find-reason.ts";

/** What a file system says that is gone or broken, such as one on another machine; a full disk is another matter. */
const LOST_FILE_SYSTEM = ["EIO", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ENODEV", "ENXIO", "EROFS", "EACCES"];

function isStoreOutage(error: unknown): boolean {
  if (error instanceof BucketError) return error.kind !== "not-found";
  return LOST_FILE_SYSTEM.includes((error as NodeJS.ErrnoException).code ?? "");
}

async function tell<Result>(call: Promise<Result>, isOutage = isStoreOutage): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw isOutage(error) ? new StoreOutage(error) : error;
  }
}

/** A read that breaks on the way says so as the connection did. Not so a write: its content may be what broke. */
const isBrokenRead = (error: unknown) => isStoreOutage(error) || isConnectionError(findReason(error));

/** Our own store, whose failures to answer are told apart from what is wrong with a request or a Task. */
export function withOutages(own: Blobs): Blobs {
  return {
    write: (key, content, options) => tell(own.write(key, content, options)),
    adopt: (key, path) => tell(own.adopt(key, path)),
    findSize: (key) => tell(own.findSize(key)),
    read: (key, range) => tell(own.read(key, range)),
    copyTo: (key, path) => tell(own.copyTo(key, path), isBrokenRead),
    withLocalFile: (key, use) => own.withLocalFile(key, use),
    delete: (keyPrefix) => tell(own.delete(keyPrefix)),
    check: () => tell(own.check(), () => true),
  };
}
