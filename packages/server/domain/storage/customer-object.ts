import type { Bucket } from "./bucket.ts";
import type { StoragePorts } from "./storage-ports.ts";

const FOLDER = "integrations/";

/** The key under which an output in a customer's bucket is known, beside those of our own store. */
export const toCustomerBlobKey = (integrationId: string, key: string) => `${FOLDER}${integrationId}/${key}`;

export const isCustomerBlobKey = (blobKey: string) => blobKey.startsWith(FOLDER);

/** Where the object behind such a key lies. */
export function parseCustomerBlobKey(blobKey: string): { integrationId: string; key: string } {
  const [, integrationId = "", ...rest] = blobKey.split("/");
  return { integrationId, key: rest.join("/") };
}

type BucketPorts = Pick<StoragePorts, "integrations" | "buckets">;

/** The bucket of an integration; undefined when the integration is gone. */
export async function findBucket(ports: BucketPorts, integrationId: string): Promise<Bucket | undefined> {
  const integration = await ports.integrations.findIntegration({}, integrationId);
  return integration && (await ports.buckets.open(integration));
}

/** The object behind such a key; undefined when the integration is gone. */
export async function findCustomerObject(
  ports: BucketPorts,
  blobKey: string,
): Promise<{ bucket: Bucket; key: string } | undefined> {
  const { integrationId, key } = parseCustomerBlobKey(blobKey);
  const bucket = await findBucket(ports, integrationId);
  return bucket && { bucket, key };
}
