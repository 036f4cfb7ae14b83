import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeAddressGuard } from "./address-guard.ts";
import { openUrl, type UrlToOpen } from "./open-url.ts";

const requests: IncomingMessage[] = [];

/** `/<status>` answers with it; `/hops/<n>` redirects n times before its content; `/away` redirects to the other server; `/tagged` supports ranges. */
const makeServer = () =>
  createServer((request, response) => {
    requests.push(request);
    const [, first = "", hops] = request.url?.split("/") ?? [];
    if (first === "away") return response.writeHead(302, { location: `${elsewhere}/200` }).end();
    if (first === "tagged") {
      const isPart = request.headers["if-range"] === '"one"' && request.headers.range === "bytes=3-";
      response.setHeader("etag", '"one"');
      if (isPart) response.setHeader("content-range", "bytes 3-6/7");
      response.statusCode = isPart ? 206 : 200;
      return response.end(isPart ? "tent" : "content");
    }
    if (first === "no-part" && request.headers.range !== undefined) return response.writeHead(416).end();
    response.statusCode = first === "hops" ? (Number(hops) > 0 ? 302 : 200) : Number(first) || 200;
    if (response.statusCode === 302) response.setHeader("location", `/hops/${Number(hops) - 1}`);
    if (response.statusCode === 429) response.setHeader("retry-after", "7");
    return response.end("content");
  });
const servers: Server[] = [makeServer(), makeServer()];
let origin: string;
let elsewhere: string;

const guard = makeAddressGuard(["127.0.0.1"]);

beforeAll(async () => {
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  [origin = "", elsewhere = ""] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
});
beforeEach(() => void requests.splice(0));
afterAll(async () => {
  await guard.close();
  for (const server of servers) server.close();
});

const open = (path: string, wanted: Partial<UrlToOpen> = {}) =>
  openUrl(guard, { url: new URL(path, origin), signal: AbortSignal.timeout(10_000), ...wanted });
const read = async (...given: Parameters<typeof open>) => text((await open(...given)).content);

describe("openUrl", () => {
  it("[U1] follows five redirects and no more", async () => {
    expect(await read("/hops/5")).toBe("content");
    await expect(open("/hops/6")).rejects.toMatchObject({ kind: "failed" });
  });

  it("[T7] [T16] distinguishes missing, forbidden, failed and transient", async () => {
    for (const [status, kind, isTransient, retryAfterMs] of [
      [404, "not-found", false],
      [410, "not-found", false],
      [401, "access-denied", false],
      [403, "access-denied", false],
      [304, "failed", false],
      [500, "failed", true],
      [429, "failed", true, 7000],
    ] as const)
      await expect(open(`/${status}`)).rejects.toMatchObject({
        kind,
        message: `its server answered ${status}`,
        isTransient,
        retryAfterMs,
      });
  });

  it("[T16] resumes after what was read of the same version", async () => {
    const { version, sizeBytes } = await open("/tagged");
    expect({ version, sizeBytes }).toEqual({ version: '"one"', sizeBytes: 7 });
    const rest = await open("/tagged", { startByte: 3, version });
    expect([rest.startByte, rest.sizeBytes, await text(rest.content)]).toEqual([3, 7, "tent"]);
    const other = await open("/tagged", { startByte: 3, version: '"two"' });
    expect([other.startByte, await text(other.content)]).toEqual([0, "content"]);
    const whole = await open("/no-part", { startByte: 30, version });
    expect([whole.startByte, await text(whole.content)]).toEqual([0, "content"]);
  });

  it("[U2] sends the login to its own server and to no other", async () => {
    const login = "ann:s3cret";
    expect(await read("/hops/1", { login })).toBe("content");
    expect(await read("/away", { login })).toBe("content");
    const basic = `Basic ${Buffer.from(login).toString("base64")}`;
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic, undefined]);
  });
});
