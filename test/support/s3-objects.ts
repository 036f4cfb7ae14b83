import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export type StoredObject = { body: Buffer; type: string; etag: string; encoding?: string };
export type S3Bucket = {
  objects: Map<string, StoredObject>;
  uploads: Map<string, { key: string; type: string; parts: Map<number, Buffer> }>;
};
/** Simulated faults. */
export type Faults = {
  cutReadsAfterBytes?: number;
  refuseParts?: boolean;
  refuseWrites?: boolean;
  /** Objects with this in their key can't be deleted in a batch. */
  keepWith?: string;
  knowsNoDeletionOfMany?: boolean;
};

type Call = {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  query: URLSearchParams;
  key: string;
  bucket: S3Bucket;
  faults: Faults;
};

export class S3Error extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string) {
    super(code);
    this.statusCode = statusCode;
    this.code = code;
  }
}

const MIN_PART_BYTES = 5 * 1024 ** 2;
/** S3 returns a thousand. */
const PARTS_PER_PAGE = 3;

const escapeXml = (text: string) =>
  text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char] ?? char);
const toEtag = (body: Buffer) => `"${createHash("md5").update(body).digest("hex")}"`;

export function sendXml(response: ServerResponse, xml: string, statusCode = 200): void {
  response
    .writeHead(statusCode, { "content-type": "application/xml" })
    .end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function put({ bucket, key, body, request, response, faults }: Call): void {
  if (faults.refuseWrites) throw new S3Error(403, "AccessDenied");
  const etag = toEtag(body);
  const type = request.headers["content-type"] ?? "binary/octet-stream";
  bucket.objects.set(key, { body, type, etag });
  response.writeHead(200, { etag }).end();
}

function get({ bucket, key, query, request, response, faults }: Call): void {
  const object = bucket.objects.get(key);
  if (!object) throw new S3Error(404, "NoSuchKey");
  const { body, type, etag, encoding } = object;
  const wanted = request.headers["if-match"];
  if (wanted !== undefined && wanted !== etag) throw new S3Error(412, "PreconditionFailed");
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(Number(range[2]), body.length - 1) : body.length - 1;
  if (range && start >= body.length) throw new S3Error(416, "InvalidRange");
  const part = body.subarray(start, end + 1);
  const disposition = query.get("response-content-disposition");
  response.writeHead(range ? 206 : 200, {
    etag,
    "content-type": type,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...(disposition === null ? {} : { "content-disposition": disposition }),
    "accept-ranges": "bytes",
    "content-length": part.length,
    ...(range ? { "content-range": `bytes ${start}-${end}/${body.length}` } : {}),
  });
  const { cutReadsAfterBytes: cut } = faults;
  if (request.method === "HEAD") response.end();
  else if (cut !== undefined && part.length > cut)
    response.write(part.subarray(0, cut), () => response.destroy());
  else response.end(part);
}

function list({ bucket, query, response }: Call): void {
  const prefix = query.get("prefix") ?? "";
  const keys = [...bucket.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const contents = keys.map((key) => {
    const { body, etag } = bucket.objects.get(key) as StoredObject;
    return `<Contents><Key>${escapeXml(key)}</Key><Size>${body.length}</Size><ETag>${etag}</ETag></Contents>`;
  });
  sendXml(
    response,
    `<ListBucketResult><KeyCount>${keys.length}</KeyCount><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`,
  );
}

function startUpload({ bucket, key, request, response, faults }: Call): void {
  if (faults.refuseWrites) throw new S3Error(403, "AccessDenied");
  const id = randomUUID();
  bucket.uploads.set(id, { key, type: request.headers["content-type"] ?? "", parts: new Map() });
  sendXml(
    response,
    `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
  );
}

function withUpload({ bucket, query }: Call) {
  const id = query.get("uploadId") ?? "";
  const upload = bucket.uploads.get(id);
  if (!upload) throw new S3Error(404, "NoSuchUpload");
  return { id, upload };
}

function putPart(call: Call): void {
  const { upload } = withUpload(call);
  const number = Number(call.query.get("partNumber"));
  if (call.faults.refuseParts && number > 1) throw new S3Error(403, "AccessDenied");
  upload.parts.set(number, call.body);
  call.response.writeHead(200, { etag: toEtag(call.body) }).end();
}

function listParts(call: Call): void {
  const { upload } = withUpload(call);
  const after = Number(call.query.get("part-number-marker") ?? 0);
  const numbers = [...upload.parts.keys()].sort((a, b) => a - b).filter((number) => number > after);
  const page = numbers.slice(0, PARTS_PER_PAGE);
  const parts = page.map((number) => {
    const body = upload.parts.get(number) as Buffer;
    return `<Part><PartNumber>${number}</PartNumber><ETag>${toEtag(body)}</ETag><Size>${body.length}</Size></Part>`;
  });
  sendXml(
    call.response,
    `<ListPartsResult><IsTruncated>${numbers.length > page.length}</IsTruncated><NextPartNumberMarker>${page.at(-1) ?? 0}</NextPartNumberMarker>${parts.join("")}</ListPartsResult>`,
  );
}

function completeUpload(call: Call): void {
  const { id, upload } = withUpload(call);
  const numbers = [...call.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
    Number(n),
  );
  const parts = numbers.map((number) => upload.parts.get(number));
  if (parts.length === 0 || parts.some((part) => !part)) throw new S3Error(400, "InvalidPart");
  if (parts.slice(0, -1).some((part) => (part?.length ?? 0) < MIN_PART_BYTES))
    throw new S3Error(400, "EntityTooSmall");
  const body = Buffer.concat(parts as Buffer[]);
  const etag = `"${createHash("md5").update(body).digest("hex")}-${parts.length}"`;
  call.bucket.objects.set(upload.key, { body, type: upload.type, etag });
  call.bucket.uploads.delete(id);
  sendXml(
    call.response,
    `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`,
  );
}

function remove(call: Call): void {
  if (call.query.has("uploadId")) call.bucket.uploads.delete(withUpload(call).id);
  else call.bucket.objects.delete(call.key);
  call.response.writeHead(204).end();
}

function removeMany({ bucket, body, request, response, faults }: Call): void {
  if (faults.knowsNoDeletionOfMany) throw new S3Error(501, "NotImplemented");
  const md5 = createHash("md5").update(body).digest("base64");
  if (request.headers["content-md5"] !== md5) throw new S3Error(400, "InvalidDigest");
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
  if (keys.length > 1000) throw new S3Error(400, "MalformedXML");
  const isKept = (key: string) => faults.keepWith !== undefined && key.includes(faults.keepWith);
  for (const key of keys) if (!isKept(key)) bucket.objects.delete(key);
  const errors = keys
    .filter(isKept)
    .map((key) => `<Error><Key>${key}</Key><Code>InternalError</Code><Message>later</Message></Error>`);
  sendXml(response, `<DeleteResult>${errors.join("")}</DeleteResult>`);
}

/** Operations are distinguished like in S3: by method, presence of a key, and query parameters. */
function findOperation({ request, query, key }: Call): ((call: Call) => void) | undefined {
  switch (request.method) {
    case "GET":
      if (query.has("uploadId")) return listParts;
      return key === "" ? list : get;
    case "HEAD":
      return get;
    case "PUT":
      return query.has("uploadId") ? putPart : put;
    case "POST":
      if (query.has("delete")) return removeMany;
      return query.has("uploads") ? startUpload : completeUpload;
    case "DELETE":
      return remove;
    default:
      return undefined;
  }
}

export function runS3Call(call: Call): void {
  const operation = findOperation(call);
  if (!operation) throw new S3Error(405, "MethodNotAllowed");
  operation(call);
}
