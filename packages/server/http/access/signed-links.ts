import { finished, type Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Links } from "../../domain/links.ts";
import type { ShareRecord, ShareStore } from "../../domain/shares/share-record.ts";

/** How soon a running download ends after its share. */
const SHARE_LOOK_MS = 2000;

/** A repeated parameter counts as missing: the link was tampered with. */
const linkParameter = z.string().optional().catch(undefined);

/** The query of a signed link. */
export const linkQuery = z.object({
  Expires: linkParameter,
  Share: linkParameter,
  Signature: linkParameter,
});

type OpenShares = { shares: Pick<ShareStore, "findOpenShare"> };

/** Returns the share that the link was handed out through, if any. */
export async function checkLink(
  { links, shares }: { links: Links } & OpenShares,
  { raw, query }: Pick<FastifyRequest<{ Querystring: z.output<typeof linkQuery> }>, "raw" | "query">,
): Promise<ShareRecord | undefined> {
  const [path = ""] = raw.url?.split("?") ?? [];
  if (!links.isValid(path, query))
    throw new ApiError(
      "LINK_INVALID",
      "The link was changed or has expired; fetch the Task or asset again for a fresh one",
    );
  if (query.Share === undefined) return undefined;
  const share = await shares.findOpenShare(query.Share);
  if (share) return share;
  throw new ApiError(
    "LINK_INVALID",
    "The share that the link is from has ended; ask whoever sent it for a new one",
  );
}

/** Sends a file, and stops within seconds if the share that it is from ends meanwhile. */
export function sendWhileShared(
  { shares }: OpenShares,
  { reply, share }: { reply: FastifyReply; share: ShareRecord | undefined },
  content: Readable,
): FastifyReply {
  if (share) void endWithShare(shares, share, content);
  return reply.send(content);
}

async function endWithShare(
  shares: OpenShares["shares"],
  { id }: ShareRecord,
  content: Readable,
): Promise<void> {
  const over = new AbortController();
  finished(content, () => over.abort());
  while (!over.signal.aborted) {
    await wait(SHARE_LOOK_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
    // An outage of the database says nothing about the share.
    const isOpen = over.signal.aborted || (await shares.findOpenShare(id).catch(() => true));
    if (!isOpen) return void content.destroy(new Error("the share of this download has ended"));
  }
}
