import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AddressRefused, makeAddressGuard } from "./address-guard.ts";

const server = createServer((_request, response) => response.end("inside"));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

describe("the address guard", () => {
  const closed = makeAddressGuard([]);
  const open = makeAddressGuard(["127.0.0.0/8", "Media.Lan"]);

  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0.0.0.0/",
    "https://10.1.2.3/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[::a9fe:a9fe]/",
    "https://[fe80::1]/",
    "https://[fd00::1]/",
  ])("[U1] %s is refused by its text", (url) => {
    expect(() => closed.checkUrl(new URL(url))).toThrow(AddressRefused);
  });

  it.each(["http://example.com/", "ftp://example.com/", "file:///etc/passwd", "http://1.1.1.1/"])(
    "[T3] %s is refused for its scheme",
    (url) => {
      expect(() => open.checkUrl(new URL(url))).toThrow(AddressRefused);
    },
  );

  it.each(["https://example.com/", "https://1.1.1.1/", "http://127.0.0.1/", "http://media.lan/"])(
    "[T3] %s is allowed",
    (url) => {
      expect(() => open.checkUrl(new URL(url))).not.toThrow();
    },
  );

  it.each(["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])(
    "[U1] a connection to %s is refused when it is made",
    async (host) => {
      await expect(request(`http://${host}:${port}/`, { dispatcher: closed.dispatcher })).rejects.toThrow(
        AddressRefused,
      );
    },
  );

  it("[U1] an address on the allow-list is connected to", async () => {
    const { body } = await request(`http://127.0.0.1:${port}/`, { dispatcher: open.dispatcher });
    expect(await body.text()).toBe("inside");
  });
});
