import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeLinks } from "../domain/links.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { type FetchFilePorts, fetchFile } from "./fetch-input.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guard = makeAddressGuard([]);
const links = makeLinks({ secret: Buffer.alloc(32), baseUrl: () => "https://stems.example" });
const ports = { links, guard, maxBytes: 1000 } as Partial<FetchFilePorts> as FetchFilePorts;

/** The failure of an input at that host, with the host left out of it. */
async function failureAt(host: string) {
  const origin = {
    clientId: "client",
    createdAt: new Date(),
    url: `https://${host}/a.wav`,
    what: "input" as const,
  };
  const failure: unknown = await fetchFile(
    ports,
    origin,
    join(folder, "input"),
    AbortSignal.timeout(20_000),
  ).catch((error: unknown) => error);
  const { code, message } = failure as { code: number; message: string };
  return { code, message: message.replaceAll(host, "HOST") };
}

describe("an input by URL", () => {
  it("[U2] at a private host, or at one that nobody knows, fails alike", async () => {
    const known = await failureAt("localhost");
    expect(known.code).toBe(1006);
    expect(await failureAt("no-such-host.invalid")).toEqual(known);
  });

  it("[U1] at a private address that the URL names is refused by it", async () => {
    expect(await failureAt("127.0.0.1")).toMatchObject({ code: 1005 });
  });
});
