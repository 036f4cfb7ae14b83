import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

const MIN_BYTES = 1024;
/** Quality 4 is within a few per cent of 11 for JSON of this kind, at a hundredth of the time. */
const BROTLI_QUALITY = 4;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const ENCODERS = {
  br: (text: string) =>
    compressBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text: string) => compressGzip(text),
} as const;
type Encoding = keyof typeof ENCODERS;

/** The first of ours that an Accept-Encoding header takes (RFC 9110, section 12.5.3); `q=0` is a refusal. */
export function findEncoding(header: string | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = (Object.keys(ENCODERS) as Encoding[]).sort((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}

/** Whole texts over a kilobyte are compressed. Streams never are: files, most of them audio, and server-sent events. */
export function addCompression(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length < MIN_BYTES) return payload;
    if (reply.hasHeader("content-encoding")) return payload;
    void reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
    const encoding = findEncoding(request.headers["accept-encoding"]);
    if (encoding === undefined) return payload;
    void reply.header("content-encoding", encoding).removeHeader("content-length");
    return await ENCODERS[encoding](payload);
  });
}
