import type { FastifyRequest } from "fastify";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { toAssetFolder } from "../../domain/assets/store-upload.ts";
import { discardFiles } from "../../domain/storage/unclaimed-files.ts";
import type { ApiPorts } from "../api.ts";
import { onceAfter } from "../requests/once.ts";

/** Removes a stored file that does not become an asset. */
export async function discardUpload(
  ports: Pick<ApiPorts, "blobs" | "quota" | "unclaimed">,
  id: string,
): Promise<void> {
  await ports.quota.release(id);
  await discardFiles(ports, toAssetFolder(id));
}

/**
 * Makes a stored file visible as an asset. If it did not become one, the file is removed: the insert failed, or the request repeats an
 * earlier one and gets that one's asset. The database is asked, because a connection that breaks during the commit leaves it unknown.
 */
export async function keepAsset<Answer extends { id: string }>(
  ports: Pick<ApiPorts, "blobs" | "quota" | "unclaimed" | "writes">,
  exchange: Parameters<typeof onceAfter>[1],
  work: {
    /** A file that was stored before we could tell whether the request is a repetition. */
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
    // If it can't be removed now, the sweeper does it later. The original error is the one to report.
    if (stored && stored.id !== keptId)
      await discardUpload(ports, stored.id).catch((error) =>
        exchange.request.log.warn({ err: error }, "failed to remove a refused upload, left to the sweep"),
      );
  }
}

/** Repeated uploads are compared by their hash, which is only computed for requests with an `Idempotency-Key`. */
export const isRepeatable = (request: FastifyRequest) => request.headers["idempotency-key"] !== undefined;
