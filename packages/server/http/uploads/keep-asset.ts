import type { FastifyRequest } from "fastify";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { toAssetFolder } from "../../domain/assets/store-upload.ts";
import { discardFiles } from "../../domain/storage/unclaimed-files.ts";
import type { ApiPorts } from "../api.ts";
import { onceAfter } from "../requests/once.ts";

/** Takes a stored file out again that is to be no asset. */
export async function discardUpload(
  ports: Pick<ApiPorts, "blobs" | "quota" | "unclaimed">,
  id: string,
): Promise<void> {
  await ports.quota.release(id);
  await discardFiles(ports, toAssetFolder(id));
}

/**
 * Makes a stored file visible as an asset. It is removed again where it did not become one: the database refused it, or the
 * request was a repetition, which gets the asset that the first one made. Whether it did is the database's to say: of a
 * connection that broke at the commit nobody else knows.
 */
export async function keepAsset<Answer extends { id: string }>(
  ports: Pick<ApiPorts, "blobs" | "quota" | "unclaimed" | "writes">,
  exchange: Parameters<typeof onceAfter>[1],
  work: {
    /** What has to be stored before it can be told whether the request is a repetition. */
    stored?: AssetRecord;
    store(): Promise<AssetRecord>;
    content: unknown;
    toAnswer(asset: AssetRecord): Answer;
  },
): Promise<Answer> {
  let { stored } = work;
  let keptId: string | undefined;
  try {
    const answer = await onceAfter(ports, exchange, {
      content: work.content,
      prepare: async () => {
        stored = await work.store();
        return stored;
      },
      async write({ assets }, asset) {
        await assets.insertAsset(asset);
        return work.toAnswer(asset);
      },
    });
    keptId = answer.id;
    return answer;
  } finally {
    // What can't be removed now a sweep removes: the request's own failure is the one to tell.
    if (stored && stored.id !== keptId)
      await discardUpload(ports, stored.id).catch((error) =>
        exchange.request.log.warn({ err: error }, "failed to remove a refused upload, left to the sweep"),
      );
  }
}

/** Uploads are compared by what is in them; hashing it is left out where nobody asks. */
export const isRepeatable = (request: FastifyRequest) => request.headers["idempotency-key"] !== undefined;
