import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Server-side check of AWS Signature Version 4, written from the public description, independent of any client library. */

export type Signer = { secretAccessKey: string; sessionToken?: string };

export class SignatureRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const MAX_SKEW_MS = 15 * 60_000;
const hex = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

type Claim = { credential: string; signedHeaders: string; signature: string; date: string; expires?: number };

function readClaim(request: IncomingMessage, query: URLSearchParams): Claim {
  if (query.has("X-Amz-Signature")) {
    return {
      credential: query.get("X-Amz-Credential") ?? "",
      signedHeaders: query.get("X-Amz-SignedHeaders") ?? "",
      signature: query.get("X-Amz-Signature") ?? "",
      date: query.get("X-Amz-Date") ?? "",
      expires: Number(query.get("X-Amz-Expires")),
    };
  }
  const header = request.headers.authorization ?? "";
  const field = (name: string) => new RegExp(`${name}=([^, ]+)`).exec(header)?.[1] ?? "";
  if (!header.startsWith("AWS4-HMAC-SHA256 ")) throw new SignatureRefused("AccessDenied", "not signed");
  return {
    credential: field("Credential"),
    signedHeaders: field("SignedHeaders"),
    signature: field("Signature"),
    date: String(request.headers["x-amz-date"] ?? ""),
  };
}

function checkDate(claim: Claim): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(claim.date) ?? [];
  const ageMs = Date.now() - Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const isGood =
    claim.expires === undefined
      ? Math.abs(ageMs) <= MAX_SKEW_MS
      : ageMs >= -MAX_SKEW_MS && ageMs <= claim.expires * 1000;
  if (!isGood) throw new SignatureRefused("AccessDenied", "Request has expired");
}

function toCanonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

function getPayloadHash(request: IncomingMessage, body: Buffer, isPresigned: boolean): string {
  if (isPresigned) return "UNSIGNED-PAYLOAD";
  const claimed = request.headers["x-amz-content-sha256"];
  if (claimed === "UNSIGNED-PAYLOAD") return claimed;
  const actual = hex(body);
  if (claimed !== undefined && claimed !== actual)
    throw new SignatureRefused("XAmzContentSHA256Mismatch", "the content is not the one that was signed");
  return actual;
}

/** Returns the access key id of a correctly signed request; throws otherwise. */
export function checkSignature(
  request: IncomingMessage,
  body: Buffer,
  findSigner: (accessKeyId: string) => Signer | undefined,
): string {
  const [path = "", queryText = ""] = (request.url ?? "").split("?");
  const query = new URLSearchParams(queryText.replaceAll("+", "%2B"));
  const claim = readClaim(request, query);
  const [accessKeyId = "", day = "", region = "", service = "", ending] = claim.credential.split("/");
  const signer = findSigner(accessKeyId);
  if (!signer || ending !== "aws4_request")
    throw new SignatureRefused("InvalidAccessKeyId", "The access key id does not exist");
  const token = query.get("X-Amz-Security-Token") ?? request.headers["x-amz-security-token"];
  if ((signer.sessionToken ?? undefined) !== (token ?? undefined))
    throw new SignatureRefused("InvalidToken", "The session token is not this key's");
  checkDate(claim);
  const headers = claim.signedHeaders
    .split(";")
    .map(
      (name) =>
        `${name}:${String(request.headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}\n`,
    )
    .join("");
  const canonical = [
    request.method,
    path,
    toCanonicalQuery(query),
    headers,
    claim.signedHeaders,
    getPayloadHash(request, body, claim.expires !== undefined),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${claim.date}\n${scope}\n${hex(canonical)}`;
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${signer.secretAccessKey}`,
  );
  const expected = hmac(key, text);
  const given = Buffer.from(claim.signature, "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new SignatureRefused("SignatureDoesNotMatch", "The signature is not the one that was expected");
  return accessKeyId;
}
