import type { Bucket } from "./bucket.ts";
import type { StoragePorts } from "./storage-ports.ts";

const FOLDER = "integrations/";

/** The key under which an output in a customer's bucket is known, beside those of our own store. */
export const toCustomerBlobKey = (integrationId: string, key: string) => `${FOLDER}${integrationId}/${key}`;

export const isCustomerBlobKey = (blobKey: string) => blobKey.startsWith(FOLDER);

/** The object behind such a key; undefined when the integration is gone. */
export async function findCustomerObject(
  ports: Pick<StoragePorts, "integrations" | "buckets">,
  blobKey: string,
): Promise<{ bucket: Bucket; key: string } | undefined> {
  const [, integrationId = "", ...rest] = blobKey.split("/");
  const integration = await ports.integrations.findIntegration({}, integrationId);
  return integration && { bucket: await ports.buckets.open(integration), key: rest.join("/") };
}
