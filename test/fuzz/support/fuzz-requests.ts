import fc from "fast-check";
import type { OpenApi, Operation } from "../../support/openapi.ts";
import { makeJsonArbitrary, nastyText, nastyValue } from "./json-values.ts";

/** A path or query position that takes the id of an existing resource, chosen when the request is sent. */
export type Place = { knownIndex: number } | { text: string };
export type FuzzRequest = {
  operation: string;
  method: string;
  path: (string | Place)[];
  query: [string, Place][];
  headers: Record<string, string>;
  key: "client" | "admin" | "none" | "nonsense";
  body: string | Buffer | undefined;
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
const known = fc.nat(1000).map((knownIndex): Place => ({ knownIndex }));
const nastyPlace = nastyText.map((text): Place => ({ text }));
const toPlace = (value: unknown): Place => ({
  text: typeof value === "string" ? value : JSON.stringify(value),
});

const DELETE_CHARACTER = 0x7f;

/** Characters allowed in a header; the client refuses to send others. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code === DELETE_CHARACTER ? 0x20 : code)),
  maxLength: 60,
});
const weirdHeaders = fc.record(
  {
    "accept-encoding": fc.oneof(fc.constantFrom("gzip", "br;q=0.1", "*", "gzip;q=x,,;"), headerText),
    "if-none-match": fc.oneof(fc.constantFrom("*", '"a", W/"b"', ","), headerText),
    range: fc.oneof(
      fc.constantFrom("bytes=0-", "bytes=-1", "bytes=9-1", "bytes=99999999999999999-"),
      headerText,
    ),
    origin: fc.oneof(fc.constantFrom("https://app.example", "null"), headerText),
    authorization: fc.oneof(fc.constantFrom("Bearer x", "Bearer ", "Basic eDp5"), headerText),
    "access-control-request-headers": headerText,
    "idempotency-key": headerText,
    "accept-version": headerText,
    "last-event-id": headerText,
    accept: headerText,
    cookie: headerText,
    "x-forwarded-for": headerText,
    "x-request-id": headerText,
    "content-encoding": fc.constantFrom("gzip", "br", "identity"),
  },
  { requiredKeys: [] },
);

const CONTENT_TYPES = [
  "application/json; charset=utf-16",
  "application/vnd.api+json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "nonsense",
  "",
];

type Body = { body: string | Buffer | undefined; contentType: string | undefined };

const multipart = fc
  .record({
    name: fc.oneof({ weight: 4, arbitrary: fc.constant("file") }, headerText),
    filename: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("a.wav", "b.mp3", "c.txt", "..\\..\\d.json") },
      headerText,
    ),
    content: fc.uint8Array({ maxLength: 300 }),
    isCutShort: fc.boolean(),
  })
  .map(({ name, filename, content, isCutShort }): Body => {
    const head = `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`;
    const tail = isCutShort ? "" : "\r\n--x--\r\n";
    const body = Buffer.concat([Buffer.from(head, "latin1"), content, Buffer.from(tail)]);
    return { body, contentType: "multipart/form-data; boundary=x" };
  });

function makeBodyArbitrary(
  operation: Operation,
  toJson: ReturnType<typeof makeJsonArbitrary>,
): fc.Arbitrary<Body> {
  const asJson = (value: fc.Arbitrary<unknown>) =>
    value.map((content): Body => ({ body: JSON.stringify(content) ?? "", contentType: "application/json" }));
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const strange = fc.oneof(
    asJson(nastyValue),
    fc.record({ body: nastyText, contentType: fc.constantFrom("application/json", ...CONTENT_TYPES) }),
    fc.record({
      body: fc.constant('{"targets":['),
      contentType: fc.constantFrom("application/json", ...CONTENT_TYPES),
    }),
    multipart,
  );
  const nothing = fc.constant<Body>({ body: undefined, contentType: undefined });
  const usual = schema ? asJson(toJson(schema)) : operation.requestBody ? multipart : nothing;
  return fc.oneof(
    { weight: 6, arbitrary: usual },
    { weight: 1, arbitrary: strange },
    { weight: 1, arbitrary: nothing },
  );
}

function makePathArbitrary(template: string): fc.Arbitrary<FuzzRequest["path"]> {
  const parts = template
    .split("/")
    .slice(1)
    .map((part): fc.Arbitrary<string | Place> => {
      if (!part.startsWith("{")) return fc.constant(part);
      const place = fc.oneof({ weight: 5, arbitrary: known }, { weight: 2, arbitrary: nastyPlace });
      return part === "{model}"
        ? fc.oneof(fc.constantFrom<Place>({ text: "vocals" }, { text: "piano" }), place)
        : place;
    });
  return fc.tuple(...parts);
}

/** Requests to every operation of the description: most of them nearly valid, the rest wrong in one or more ways. */
export function makeRequestArbitrary(document: OpenApi): fc.Arbitrary<FuzzRequest> {
  const toJson = makeJsonArbitrary(document.components.schemas);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === "query")
        .map(({ name, schema }) =>
          fc.tuple(
            fc.constant(name),
            name.endsWith("Id")
              ? known
              : fc.oneof(
                  { weight: 4, arbitrary: toJson(schema).map(toPlace) },
                  { weight: 1, arbitrary: nastyPlace },
                ),
          ),
        );
      const stray = fc.tuple(nastyText, nastyPlace);
      return fc.record({
        operation: fc.constant(`${method} ${path}`),
        method: fc.oneof(
          { weight: 12, arbitrary: fc.constant(method.toUpperCase()) },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
        ),
        path: makePathArbitrary(path),
        query: fc.oneof(
          fc.constant<FuzzRequest["query"]>([]),
          fc.subarray(query.length > 0 ? query : [stray]).chain((parts) => fc.tuple(...parts)),
          fc.array(fc.oneof(stray, ...query), { maxLength: 4 }),
        ),
        headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: weirdHeaders }),
        key: fc.oneof(
          {
            weight: 12,
            arbitrary: fc.constant(path.startsWith("/admin") ? ("admin" as const) : ("client" as const)),
          },
          { weight: 2, arbitrary: fc.constantFrom("admin" as const, "client" as const) },
          { weight: 1, arbitrary: fc.constantFrom("none" as const, "nonsense" as const) },
        ),
        content: makeBodyArbitrary(operation, toJson),
      });
    }),
  );
  return fc.oneof(...operations).map(({ content, headers, ...request }) => ({
    ...request,
    headers: {
      ...(headers as Record<string, string>),
      ...(content.contentType === undefined ? {} : { "content-type": content.contentType }),
    },
    body: content.body,
  }));
}
