import { LINK_LIFETIME_SECONDS, type LinkSigner } from "../links.ts";
import { findCustomerObject, isCustomerBlobKey } from "./customer-object.ts";
import type { StoragePorts } from "./storage-ports.ts";

const TIME_LIMIT_MS = 5000;

export interface OutputLinks {
  sign(blobKey: string): string | Promise<string>;
}

/**
 * Links of outputs: our own, or presigned by the customer's storage for what lies there. Where it can't sign (a token
 * without a key, a role that is gone), our own link streams the object through the API: reading a Task never fails for it.
 */
export function makeOutputLinks(
  ports: Pick<StoragePorts, "integrations" | "buckets">,
  own: LinkSigner,
  onFailure: (error: unknown) => void,
): OutputLinks {
  const presign = async (blobKey: string) => {
    const object = await findCustomerObject(ports, blobKey);
    return await object?.bucket.signRead(object.key, LINK_LIFETIME_SECONDS);
  };
  return {
    async sign(blobKey) {
      if (!isCustomerBlobKey(blobKey)) return own.sign(blobKey);
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), TIME_LIMIT_MS);
      try {
        return (await Promise.race([presign(blobKey), late.promise])) ?? own.sign(blobKey);
      } catch (error) {
        onFailure(error);
        return own.sign(blobKey);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
