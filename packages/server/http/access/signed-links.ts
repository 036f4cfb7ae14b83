import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Links } from "../../domain/links.ts";

/** A repeated parameter counts as missing: the link was tampered with. */
const linkParameter = z.string().optional().catch(undefined);

/** The query of a signed link. */
export const linkQuery = z.object({ Expires: linkParameter, Signature: linkParameter });

export function checkLink(
  links: Links,
  { raw, query }: Pick<FastifyRequest<{ Querystring: z.output<typeof linkQuery> }>, "raw" | "query">,
): void {
  const [path = ""] = raw.url?.split("?") ?? [];
  if (!links.isValid(path, query))
    throw new ApiError(
      "LINK_INVALID",
      "The link was changed or has expired; fetch the Task or asset again for a fresh one",
    );
}
