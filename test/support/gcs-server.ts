import { createHash, createVerify, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

type GcsObject = { body: Buffer; type: string; generation: string };
type Upload = { name: string; type: string; received: Buffer };

class Refused extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** CRC-32C (Castagnoli), which Google sends with every object and its client checks. */
function toCrc32c(body: Buffer): string {
  let crc = 0xffffffff;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return bytes.toString("base64");
}
const toMd5 = (body: Buffer) => createHash("md5").update(body).digest("base64");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * A fake of the parts of Google Cloud Storage that the service uses: the JSON API with resumable uploads, and signed URLs. Tokens and URLs are verified with
 * the service account's public key. It follows Google's documentation; what only the real service does, such as permissions, is not covered.
 */
export async function startGcsServer() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccountKey = {
    client_email: "stems@project.iam.gserviceaccount.example",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
  const objects = new Map<string, GcsObject>();
  const uploads = new Map<string, Upload>();
  let generations = 0;
  const isSigned = (text: string, signature: Buffer) =>
    createVerify("RSA-SHA256").update(text).verify(publicKey, signature);

  function checkBearer(request: IncomingMessage): void {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const [head = "", claims = "", signature = ""] = token.split(".");
    if (!isSigned(`${head}.${claims}`, Buffer.from(signature, "base64url")))
      throw new Refused(401, "Invalid Credentials");
    const { iss, exp, scope } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<
      string,
      unknown
    >;
    if (iss !== serviceAccountKey.client_email || Number(exp) * 1000 < Date.now() || !scope)
      throw new Refused(401, "Invalid Credentials");
  }

  function checkSignedLink(request: IncomingMessage, path: string, query: URLSearchParams): void {
    const signature = Buffer.from(query.get("X-Goog-Signature") ?? "", "hex");
    const canonicalQuery = [...query]
      .filter(([name]) => name !== "X-Goog-Signature")
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .sort()
      .join("&");
    const date = query.get("X-Goog-Date") ?? "";
    const scope = (query.get("X-Goog-Credential") ?? "").split("/").slice(1).join("/");
    // Google uses the default port, so its clients sign the host without one.
    const host = request.headers.host?.split(":")[0];
    const canonical = `${request.method}\n${path}\n${canonicalQuery}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
    if (!isSigned(`GOOG4-RSA-SHA256\n${date}\n${scope}\n${sha256(canonical)}`, signature))
      throw new Refused(403, "SignatureDoesNotMatch");
  }

  const describe = (name: string, { body, type, generation }: GcsObject) => ({
    name,
    size: String(body.length),
    generation,
    contentType: type,
    crc32c: toCrc32c(body),
    md5Hash: toMd5(body),
  });
  const sendJson = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

  function sendMedia(request: IncomingMessage, response: ServerResponse, { body, type }: GcsObject): void {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const start = range ? Number(range[1]) : 0;
    const end = range?.[2] ? Math.min(Number(range[2]), body.length - 1) : body.length - 1;
    const part = body.subarray(start, end + 1);
    response
      .writeHead(range ? 206 : 200, {
        "content-type": type,
        "content-length": part.length,
        "x-goog-hash": `crc32c=${toCrc32c(body)},md5=${toMd5(body)}`,
        ...(range ? { "content-range": `bytes ${start}-${end}/${body.length}` } : {}),
      })
      .end(part);
  }

  function upload(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    query: URLSearchParams,
  ): void {
    if (request.method === "POST") {
      const { contentType } = JSON.parse(body.toString() || "{}") as { contentType?: string };
      const id = randomUUID();
      const type = contentType ?? String(request.headers["x-upload-content-type"] ?? "");
      uploads.set(id, { name: query.get("name") ?? "", type, received: Buffer.alloc(0) });
      const location = `http://${request.headers.host}/upload/session?upload_id=${id}`;
      response.writeHead(200, { location }).end();
      return;
    }
    const id = query.get("upload_id") ?? "";
    const open = uploads.get(id);
    if (!open) throw new Refused(404, "No such upload");
    open.received = Buffer.concat([open.received, body]);
    // `bytes 0-99/*` continues, `bytes 0-99/100` and `bytes 0-*/*` finish, `bytes */*` asks for the offset.
    const [, last, total] =
      /^bytes (?:\d+-)?(\d+|\*)\/(\d+|\*)$/.exec(request.headers["content-range"] ?? "") ?? [];
    const isQuestion = request.headers["content-range"] === "bytes */*";
    const isWhole = total === "*" ? last === "*" : Number(total) === open.received.length;
    if (isQuestion || !isWhole) {
      const { length } = open.received;
      response.writeHead(308, length > 0 ? { range: `bytes=0-${length - 1}` } : {}).end();
      return;
    }
    generations += 1;
    const object = { body: open.received, type: open.type, generation: String(generations) };
    objects.set(open.name, object);
    uploads.delete(id);
    sendJson(response, describe(open.name, object));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [path = "", queryText = ""] = (request.url ?? "").split("?");
    const query = new URLSearchParams(queryText);
    if (path.startsWith("/music/")) {
      checkSignedLink(request, path, query);
      const object = objects.get(decodeURIComponent(path.slice("/music/".length)));
      if (!object) throw new Refused(404, "NoSuchKey");
      return sendMedia(request, response, object);
    }
    // The URL of an upload session is itself the permission.
    if (!path.endsWith("/session")) checkBearer(request);
    if (path.startsWith("/upload/")) return upload(request, response, body, query);
    const [, bucket, name] = /^\/(?:download\/)?storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(path) ?? [];
    if (bucket !== "music") throw new Refused(404, "The specified bucket does not exist.");
    if (name === undefined) {
      const items = [...objects].filter(([key]) => key.startsWith(query.get("prefix") ?? ""));
      sendJson(response, { items: items.map(([key, object]) => describe(key, object)) });
      return;
    }
    const key = decodeURIComponent(name);
    const object = objects.get(key);
    if (!object) throw new Refused(404, `No such object: music/${key}`);
    if (request.method === "DELETE") {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (query.get("alt") === "media") sendMedia(request, response, object);
    else sendJson(response, describe(key, object));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      const code = error instanceof Refused ? error.statusCode : 500;
      const value = { error: { code, message: error.message, errors: [{ message: error.message }] } };
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serviceAccountKey,
    objects,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type GcsServer = Awaited<ReturnType<typeof startGcsServer>>;
