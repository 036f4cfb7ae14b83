import type { StorageIntegration, StorageIntegrationInput, StorageVerification } from "@stemwright/contract";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** Access to the account's own buckets. */
export class StorageIntegrations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * @example
   * const { id, authConfig } = await client.storageIntegrations.create({
   *   type: "aws",
   *   storageName: "my-bucket",
   *   authConfig: { roleArn: "arn:aws:iam::123456789012:role/stems", region: "eu-west-1" },
   * });
   */
  create(integration: StorageIntegrationInput, options?: RequestOptions): Promise<StorageIntegration> {
    return this.#transport.load(
      { method: "POST", path: "/storage-integrations", json: integration },
      options,
    );
  }

  list(query: ListQuery = {}, options?: RequestOptions): Listing<StorageIntegration> {
    return makeListing(this.#transport, { path: "/storage-integrations", query }, options);
  }

  /** Null if there is none. */
  find(id: string, options?: RequestOptions): Promise<StorageIntegration | null> {
    return this.#transport.load({ method: "GET", path: route`/storage-integrations/${id}` }, options);
  }

  delete(id: string, options?: RequestOptions): Promise<StorageIntegration> {
    return this.#transport.load({ method: "DELETE", path: route`/storage-integrations/${id}` }, options);
  }

  /** Lists, writes, reads and deletes a small object in the bucket and reports which steps failed. */
  verify(id: string, options?: RequestOptions): Promise<StorageVerification> {
    return this.#transport.load(
      { method: "POST", path: route`/storage-integrations/${id}/verify`, timeoutMs: 120_000 },
      options,
    );
  }
}
