import type { Readable } from "node:stream";

/** `version` identifies the content, so that a resumed read can't mix two versions. */
export type BucketContent = {
  content: Readable;
  sizeBytes: number;
  version: string | undefined;
  contentEncoding?: string | undefined;
};

export type BucketRead = {
  startByte?: number;
  endByte?: number;
  version?: string | undefined;
  signal?: AbortSignal;
};

/** One bucket or container, with one set of credentials. Failures are BucketErrors. */
export interface Bucket {
  /** `sizeBytes` is that of the whole object, whatever part is read. */
  read(key: string, options?: BucketRead): Promise<BucketContent>;
  findSize(key: string): Promise<number | undefined>;
  /** Atomic; multipart, with constant memory. */
  write(key: string, content: Readable, options: { type: string; signal?: AbortSignal }): Promise<void>;
  list(prefix: string, options?: { signal?: AbortSignal }): AsyncIterable<string>;
  delete(key: string, options?: { signal?: AbortSignal }): Promise<void>;
  /** A presigned URL for reading the object; undefined if the credentials can't sign. */
  signRead(key: string, lifetimeSeconds: number): Promise<string | undefined>;
}

/** `not-set-up` is for the operator to fix, not for the integration's owner. */
export type BucketErrorKind = "not-found" | "access-denied" | "failed" | "not-set-up";

/** A storage service's error, in terms useful to the integration's owner. */
export class BucketError extends Error {
  override readonly name = "BucketError";
  readonly kind: BucketErrorKind;
  /** A retry may succeed. */
  readonly isTransient: boolean;

  constructor(
    kind: BucketErrorKind,
    message: string,
    { cause, isTransient = false }: { cause?: unknown; isTransient?: boolean } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.isTransient = isTransient;
  }
}
