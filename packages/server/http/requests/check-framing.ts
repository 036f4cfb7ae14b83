import type { IncomingMessage } from "node:http";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance } from "fastify";

/** If one of these is repeated, Node takes the first and other servers the last: a proxy may have checked another value. */
const SINGLE_HEADERS = ["host", "content-type", "authorization", "x-api-key", "idempotency-key"];
/** A name or an address, with an optional port. RFC 9112 requires rejecting anything else. */
const HOST = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(:\d*)?$/i;

/**
 * Finds ambiguities that allow request smuggling. Node's parser already rejects contradictory lengths, folded headers and bare line
 * feeds; these are the ones it accepts.
 */
function findFramingMistake(message: IncomingMessage): string | undefined {
  const { httpVersion, headers, rawHeaders } = message;
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = SINGLE_HEADERS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) return `The header ${repeated} is there more than once; send it once`;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "Only HTTP/1.1 and HTTP/1.0 are spoken here";
  if (headers.host === undefined ? httpVersion === "1.1" : !HOST.test(headers.host))
    return "The header host must name one host";
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion === "1.0"))
    return "The only transfer-encoding that is taken is chunked, in HTTP/1.1";
  return undefined;
}

export function addFramingCheck(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    const mistake = findFramingMistake(request.raw);
    if (mistake === undefined) return;
    // To another server, what follows on the connection may be part of this request.
    void reply.header("connection", "close");
    throw new ApiError("REQUEST_INVALID", mistake);
  });
}
