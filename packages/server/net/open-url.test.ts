import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeAddressGuard } from "./address-guard.ts";
import { openUrl } from "./open-url.ts";

/** `/<status>` answers so; `/hops/<n>` redirects so often before its content. */
const server = createServer((request, response) => {
  const [, first = "", hops] = request.url?.split("/") ?? [];
  response.statusCode = first === "hops" ? (Number(hops) > 0 ? 302 : 200) : Number(first);
  if (response.statusCode === 302) response.setHeader("location", `/hops/${Number(hops) - 1}`);
  response.end("content");
});
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const open = (path: string) =>
  openUrl(makeAddressGuard(["127.0.0.1"]), new URL(path, origin), AbortSignal.timeout(10_000));

describe("openUrl", () => {
  it("[U1] follows five redirects and no more", async () => {
    expect(await text(await open("/hops/5"))).toBe("content");
    await expect(open("/hops/6")).rejects.toMatchObject({ kind: "failed" });
  });

  it("[T7] tells what is not there, what is not open to us and what failed", async () => {
    for (const [status, kind] of [
      [404, "not-found"],
      [410, "not-found"],
      [401, "access-denied"],
      [403, "access-denied"],
      [304, "failed"],
      [500, "failed"],
    ] as const)
      await expect(open(`/${status}`)).rejects.toMatchObject({
        kind,
        message: `its server answered ${status}`,
      });
  });
});
