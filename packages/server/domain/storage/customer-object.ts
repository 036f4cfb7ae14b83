import type { Bucket } from "./bucket.ts";
import type { StoragePorts } from "./storage-ports.ts";

const FOLDER = "integrations/";

/** The blob key of an output in a customer's bucket. */
export const toCustomerBlobKey = (integrationId: string, key: string) => `${FOLDER}${integrationId}/${key}`;

export const isCustomerBlobKey = (blobKey: string) => blobKey.startsWith(FOLDER);

/** The location of the object behind such a key. */
export function parseCustomerBlobKey(blobKey: string): { integrationId: string; key: string } {
  const [, integrationId = "", ...rest] = blobKey.split("/");
  return { integrationId, key: rest.join("/") };
}

type BucketPorts = Pick<StoragePorts, "integrations" | "buckets">;

/** The bucket of an integration; undefined if the integration is gone. */
export async function findBucket(ports: BucketPorts, integrationId: string): Promise<Bucket | undefined> {
  const integration = await ports.integrations.findIntegration({}, integrationId);
  return integration && (await ports.buckets.open(integration));
}

/** The object behind such a key; undefined if the integration is gone. */
export async function findCustomerObject(
  ports: BucketPorts,
  blobKey: string,
): Promise<{ bucket: Bucket; key: string } | undefined> {
  const { integrationId, key } = parseCustomerBlobKey(blobKey);
  const bucket = await findBucket(ports, integrationId);
  return bucket && { bucket, key };
}
