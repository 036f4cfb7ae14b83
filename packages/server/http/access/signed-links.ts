import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Links } from "../../domain/links.ts";

/** One that is given twice is as good as none: the link was changed. */
const linkParameter = z.string().optional().catch(undefined);

/** What makes a path a link that needs no key. */
export const linkQuery = z.object({ Expires: linkParameter, Signature: linkParameter });

/** Refuses a link that was changed or has expired. */
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
