import { Agent, request as openRequest } from "node:http";
import type { FuzzRequest, Place } from "./fuzz-requests.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const NO_BODY_STATUSES = [204, 205, 304];

/** Sends a request unchanged; unlike fetch, also a GET with a body. */
export function sendFuzzRequest(
  address: string,
  fuzz: FuzzRequest,
  options: { knownIds: readonly string[]; keys: Record<FuzzRequest["key"], string | undefined> },
): Promise<{ pathname: string; response: Response }> {
  const { knownIds, keys } = options;
  const toText = (place: Place) =>
    "text" in place ? place.text : (knownIds[place.knownIndex % knownIds.length] ?? "");
  const encode = (text: string) => encodeURIComponent(text.toWellFormed());
  const path = fuzz.path.map((part) => (typeof part === "string" ? part : encode(toText(part)))).join("/");
  const query = fuzz.query.map(([name, place]) => `${encode(name)}=${encode(toText(place))}`).join("&");
  const key = keys[fuzz.key];
  const { body } = fuzz;
  const headers = {
    ...fuzz.headers,
    ...(key === undefined ? {} : { "x-api-key": key }),
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
  };
  const url = new URL(`/${path}${query === "" ? "" : `?${query}`}`, address);
  return new Promise((resolve, reject) => {
    const sent = openRequest(url, { agent, method: fuzz.method, headers }, (answer) => {
      // A stream of events has no end to wait for.
      const isEndless = answer.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      if (isEndless) answer.destroy();
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on(isEndless ? "close" : "end", () => {
        const status = answer.statusCode ?? 0;
        const content = NO_BODY_STATUSES.includes(status) ? null : Buffer.concat(chunks);
        const received = Object.entries(answer.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve({ pathname: url.pathname, response: new Response(content, { status, headers: received }) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
