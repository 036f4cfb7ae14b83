import { LINK_LIFETIME_SECONDS, type LinkSigner } from "../links.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { Bucket } from "./bucket.ts";
import { findBucket, isCustomerBlobKey, parseCustomerBlobKey } from "./customer-object.ts";
import type { StoragePorts } from "./storage-ports.ts";

const TIME_LIMIT_MS = 5000;

/** Presigns a URL to a file in our own bucket. */
export type Presign = (blobKey: string) => Promise<string>;

export interface OutputLinks {
  /** Presigns the URLs of the Tasks' outputs; returns a signer that knows them. */
  prepare(tasks: readonly Pick<TaskRecord, "targets">[]): Promise<LinkSigner>;
}

/**
 * Links to outputs: our own, or presigned by the customer's storage for outputs there, and by our own bucket if that is configured. If presigning fails (a
 * token without a key, a role that is gone), our own link streams the object through the API: reading a Task never fails because of it.
 */
export function makeOutputLinks(options: {
  ports: Pick<StoragePorts, "integrations" | "buckets">;
  own: LinkSigner;
  presignOwn?: Presign | undefined;
  onFailure: (error: unknown) => void;
}): OutputLinks {
  const { ports, own, presignOwn, onFailure } = options;

  async function signTheirs(opened: Map<string, Promise<Bucket | undefined>>, blobKey: string) {
    const { integrationId, key } = parseCustomerBlobKey(blobKey);
    const opening = opened.get(integrationId) ?? findBucket(ports, integrationId);
    opened.set(integrationId, opening);
    return await (await opening)?.signRead(key, LINK_LIFETIME_SECONDS);
  }
  const presign = async (opened: Map<string, Promise<Bucket | undefined>>, blobKey: string) => {
    try {
      return isCustomerBlobKey(blobKey) ? await signTheirs(opened, blobKey) : await presignOwn?.(blobKey);
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };

  return {
    async prepare(tasks) {
      const outputs = tasks.flatMap(({ targets }) => targets.flatMap(({ output }) => output));
      const blobKeys = outputs
        .map(({ blobKey }) => blobKey)
        .filter((blobKey) => presignOwn !== undefined || isCustomerBlobKey(blobKey));
      if (blobKeys.length === 0) return own;
      const signed = new Map<string, string>();
      // A page of Tasks has thousands of outputs, nearly all in one bucket: each bucket is looked up once.
      const opened = new Map<string, Promise<Bucket | undefined>>();
      const signing = blobKeys.map(async (blobKey) => {
        const link = await presign(opened, blobKey);
        if (link !== undefined) signed.set(blobKey, link);
      });
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, TIME_LIMIT_MS);
      await Promise.race([Promise.all(signing), late.promise]);
      clearTimeout(timer);
      return { sign: (blobKey) => signed.get(blobKey) ?? own.sign(blobKey) };
    },
  };
}
