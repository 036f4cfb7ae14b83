import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { makeGuardedAgents } from "./guarded-agents.ts";

export const ADDRESS_REFUSED = "ADDRESS_REFUSED";

/** The guard's refusal: the address is private, or the scheme is not allowed for it. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  /** Client libraries that wrap what a connection threw keep this much of it. */
  readonly code = ADDRESS_REFUSED;
}

/** IPv6 addresses stand in brackets in a URL. */
const toHostname = (host: string) => host.replace(/^\[|\]$/g, "");

type Allowed = { hosts: Set<string>; networks: [ipaddr.IPv4 | ipaddr.IPv6, number][] };

function parseAllowed(entries: readonly string[]): Allowed {
  const allowed: Allowed = { hosts: new Set(), networks: [] };
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) allowed.networks.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry))
      allowed.networks.push([ipaddr.process(entry), isIP(entry) === 6 ? 128 : 32]);
    else allowed.hosts.add(entry.toLowerCase());
  }
  return allowed;
}

/**
 * Decides which addresses the service may open on a client's behalf. The check is made on the very
 * address that is connected to, so that a name that resolves differently the second time gains nothing.
 */
export function makeAddressGuard(allowPrivate: readonly string[], lookUp: typeof lookup = lookup) {
  const allowed = parseAllowed(allowPrivate);

  function isAllowedAddress(address: string): boolean {
    // process() unwraps IPv4 addresses that are written as IPv6.
    const parsed = ipaddr.process(address);
    if (parsed.range() === "unicast" && !isCompatible(parsed)) return true;
    return allowed.networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }

  const isAllowedHost = (hostname: string) => allowed.hosts.has(hostname.toLowerCase());

  const checkAddress = (hostname: string, address: string) => {
    if (isAllowedHost(hostname) || isAllowedAddress(address)) return;
    throw new AddressRefused(
      `${hostname} is at a private address, which is not allowed here. The operator can allow it with URL_ALLOW_PRIVATE`,
    );
  };

  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, "", 0);
      try {
        for (const { address } of addresses) checkAddress(hostname, address);
      } catch (refusal) {
        return callback(refusal as Error, "", 0);
      }
      if (options.all)
        return (callback as unknown as (error: null, all: LookupAddress[]) => void)(null, addresses);
      const [first] = addresses;
      return first
        ? callback(null, first.address, first.family)
        : callback(new Error(`${hostname} has no address`), "", 0);
    });
  };

  const connect = buildConnector({ lookup: guardedLookup, timeout: 15_000 });
  const dispatcher = new Agent({
    connect: (options, callback) => {
      const hostname = toHostname(options.hostname);
      try {
        // A literal address is connected to without any look-up.
        if (isIP(hostname)) checkAddress(hostname, hostname);
      } catch (refusal) {
        return callback(refusal as Error, null);
      }
      return connect(options, callback);
    },
    headersTimeout: 30_000,
    bodyTimeout: 60_000,
  });

  const agents = makeGuardedAgents({ checkAddress, lookup: guardedLookup });

  return {
    dispatcher,
    /** The same guard for clients that use Node's own http. */
    agents,
    /** What the text of a URL tells already. Plain http is for addresses the operator named; everything else is https. */
    checkUrl(url: URL): void {
      const hostname = toHostname(url.hostname);
      if (isIP(hostname)) checkAddress(hostname, hostname);
      if (url.protocol === "https:") return;
      const isNamed =
        isAllowedHost(hostname) || (isIP(hostname) !== 0 && ipaddr.process(hostname).range() !== "unicast");
      if (url.protocol === "http:" && isNamed) return;
      throw new AddressRefused(`${url.protocol}//${url.host} is not allowed; use an https:// address`);
    },
    async close(): Promise<void> {
      agents.http.destroy();
      agents.https.destroy();
      await dispatcher.close();
    },
  };
}
export type AddressGuard = ReturnType<typeof makeAddressGuard>;

/** The old way to write an IPv4 address as IPv6, ::127.0.0.1: some systems still connect to what it holds. */
function isCompatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === "ipv6" && address.match(ipaddr.parse("::"), 96);
}
