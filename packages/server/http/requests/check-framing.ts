import type { IncomingMessage } from "node:http";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance } from "fastify";

/** Of which Node takes the first and others the last: a proxy before us may have judged another one. */
const SINGLE_HEADERS = ["host", "content-type", "authorization", "x-api-key", "idempotency-key"];
/** A name or an address, and perhaps a port; RFC 9112 has every other value refused. */
const HOST = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(:\d*)?$/i;

/**
 * What is wrong with a request that another server could take for another one. Lengths and chunks that contradict each other,
 * folded headers and bare line feeds are refused by Node's parser; this is what it lets pass.
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
    // What follows on the connection may be a part of this request to somebody else.
    void reply.header("connection", "close");
    throw new ApiError("REQUEST_INVALID", mistake);
  });
}
