import type { LookupAddress, lookup } from "node:dns";
import { createServer } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AddressRefused, HostNotPublic, makeAddressGuard } from "./address-guard.ts";
import { findReason } from "./find-reason.ts";

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
    // Cloud hosts, and each block of IANA's special-purpose registries.
    "https://168.63.129.16/",
    "https://[::ffff:168.63.129.16]/",
    "https://161.26.0.6/",
    "https://166.9.20.80/",
    "https://100.100.100.200/",
    "https://192.0.0.192/",
    "https://169.254.170.2/",
    "https://[fd00:ec2::254]/",
    "https://[fd20:ce::254]/",
    "https://[fe80::a9fe:a9fe]/",
    "https://192.0.2.1/",
    "https://192.31.196.1/",
    "https://192.52.193.1/",
    "https://192.88.99.1/",
    "https://192.175.48.1/",
    "https://198.18.0.1/",
    "https://198.19.255.255/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://239.255.255.255/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b::168.63.129.16]/",
    "https://[64:ff9b:1::808:808]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:808:808::1]/",
    "https://[2001:0:808:808::1]/",
    "https://[2001:2::1]/",
    "https://[2001:10::1]/",
    "https://[2001:20::1]/",
    "https://[2001:db8::1]/",
    "https://[2620:4f:8000::1]/",
    "https://[3fff::1]/",
    "https://[2a00:1450:4001:80b:0:5efe:10.0.0.1]/",
    "https://[2a00:1450:4001:80b:200:5efe:127.0.0.1]/",
    "https://[100::1]/",
    "https://[100:0:0:1::1]/",
    "https://[5f00::1]/",
    "https://[4000::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
  ])("[U1] %s is refused by its text", (url) => {
    expect(() => closed.checkUrl(new URL(url))).toThrow(AddressRefused);
  });

  it.each(["http://example.com/", "ftp://example.com/", "file:///etc/passwd", "http://1.1.1.1/"])(
    "[T3] %s is refused for its scheme",
    (url) => {
      expect(() => open.checkUrl(new URL(url))).toThrow(AddressRefused);
    },
  );

  it.each([
    "https://168.63.129.17/",
    "https://100.63.255.255/",
    "https://172.32.0.1/",
    "https://192.0.1.1/",
    "https://223.255.255.255/",
    "https://[2606:4700:4700::1111]/",
    "https://[2001:200::1]/",
    "https://[2001:4860:4860::8888]/",
    // A NAT64 address, which every IPv4 host has on IPv6-only networks.
    "https://[64:ff9b::808:808]/",
  ])("[U1] %s is public", (url) => {
    expect(() => closed.checkUrl(new URL(url))).not.toThrow();
  });

  it("[U1] an address on the allow-list may be written as IPv6, or belong to a cloud", () => {
    const allowing = makeAddressGuard(["10.0.0.0/8", "168.63.129.16", "fd00::/8"]);
    for (const host of ["[::ffff:10.1.2.3]", "[64:ff9b::10.1.2.3]", "168.63.129.16", "[fd00::1]"])
      expect(() => allowing.checkUrl(new URL(`http://${host}/`))).not.toThrow();
    for (const host of ["[::ffff:11.1.2.3]", "192.168.0.1", "[fe80::1]"])
      expect(() => allowing.checkUrl(new URL(`http://${host}/`))).toThrow(AddressRefused);
  });

  it.each(["https://example.com/", "https://1.1.1.1/", "http://127.0.0.1/", "http://media.lan/"])(
    "[T3] %s is allowed",
    (url) => {
      expect(() => open.checkUrl(new URL(url))).not.toThrow();
    },
  );

  it.each([
    ["127.0.0.1", AddressRefused],
    ["localhost", HostNotPublic],
    ["[::ffff:127.0.0.1]", AddressRefused],
  ])("[U1] a connection to %s is refused when it is made", async (host, Refusal) => {
    await expect(request(`http://${host}:${port}/`, { dispatcher: closed.dispatcher })).rejects.toThrow(
      Refusal,
    );
  });

  it("[U3] an unknown and a private host name look the same, and only the operator's log says which", async () => {
    const addresses: Record<string, LookupAddress[] | string> = {
      "exists.internal": [{ address: "10.0.0.5", family: 4 }],
      "both.internal": [
        { address: "1.1.1.1", family: 4 },
        { address: "fd00::5", family: 6 },
      ],
      "metadata.internal": [{ address: "168.63.129.16", family: 4 }],
      "scoped.internal": [{ address: "fe80::1%eth0", family: 6 }],
      "absent.internal": "ENOTFOUND",
      "broken.internal": "EAI_AGAIN",
      "empty.internal": [],
    };
    const lookUp = ((hostname: string, _options: unknown, callback: (...result: unknown[]) => void) => {
      const found = addresses[hostname];
      if (typeof found !== "string") return callback(null, found);
      return callback(Object.assign(new Error(`getaddrinfo ${found} ${hostname}`), { code: found }));
    }) as unknown as typeof lookup;
    const refused: { hostname: string; reason: string }[] = [];
    const guard = makeAddressGuard([], { lookUp, onRefused: (facts) => refused.push(facts) });
    const told = new Set<string>();
    for (const hostname of Object.keys(addresses)) {
      for (const connect of [
        () => request(`https://${hostname}/`, { dispatcher: guard.dispatcher }),
        () =>
          new Promise((resolve, reject) => {
            get(`https://${hostname}/`, { agent: guard.agents.https }, resolve).on("error", reject);
          }),
      ]) {
        const error = findReason(await connect().catch((reason: unknown) => reason));
        expect(error).toBeInstanceOf(HostNotPublic);
        const { name, code, message } = error as HostNotPublic;
        told.add(JSON.stringify([name, code, message.replaceAll(hostname, "HOST"), Object.keys(error)]));
      }
    }
    expect([...told]).toHaveLength(1);
    const reasons = new Map(refused.map(({ hostname, reason }) => [hostname, reason]));
    expect(reasons.get("exists.internal")).toBe("10.0.0.5 is not a public address");
    expect(reasons.get("both.internal")).toBe("fd00::5 is not a public address");
    expect(reasons.get("absent.internal")).toBe("getaddrinfo ENOTFOUND absent.internal");
    expect(reasons.get("empty.internal")).toBe("the name has no address");
    await guard.close();
  });

  it("[U1] an address on the allow-list is connected to", async () => {
    const { body } = await request(`http://127.0.0.1:${port}/`, { dispatcher: open.dispatcher });
    expect(await body.text()).toBe("inside");
  });
});
