import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { makeGuardedAgents } from "./guarded-agents.ts";
import { isPublicAddress, isWithin, toReachedAddress } from "./special-addresses.ts";

export const ADDRESS_REFUSED = "ADDRESS_REFUSED";
export const HOST_NOT_PUBLIC = "HOST_NOT_PUBLIC";

/** Refused by the text of a URL: the address is private, or the scheme is not allowed for it. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  /** Survives in client libraries that wrap connection errors. */
  readonly code = ADDRESS_REFUSED;
}

/**
 * Refused by what a name resolves to. The same for an unknown name and a private host, or clients could find out which internal hosts exist; the reason is in
 * the operator's log.
 */
export class HostNotPublic extends Error {
  override readonly name = "HostNotPublic";
  readonly code = HOST_NOT_PUBLIC;
  /** Whether a later lookup may succeed. */
  readonly isTransient: boolean;

  constructor(hostname: string, options: { isTransient: boolean }) {
    super(
      `${hostname} has no public address. Check the name; the operator can allow private hosts with URL_ALLOW_PRIVATE`,
    );
    this.isTransient = options.isTransient;
  }
}

/** IPv6 addresses are in brackets in a URL. */
const toHostname = (host: string) => host.replace(/^\[|\]$/g, "");

type Allowed = { hosts: Set<string>; networks: [ipaddr.IPv4 | ipaddr.IPv6, number][] };

function parseAllowed(entries: readonly string[]): Allowed {
  const allowed: Allowed = { hosts: new Set(), networks: [] };
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) allowed.networks.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry))
      allowed.networks.push([ipaddr.parse(entry), isIP(entry) === 6 ? 128 : 32]);
    else allowed.hosts.add(entry.toLowerCase());
  }
  return allowed;
}

/** Why a connection was refused, for the operator. */
export type AddressRefusal = { hostname: string; reason: string };

/**
 * Decides which addresses the service may open on a client's behalf. It checks the very address that is connected to, so that a name that resolves
 * differently the second time gains nothing (DNS rebinding).
 */
export function makeAddressGuard(
  allowPrivate: readonly string[],
  options: { lookUp?: typeof lookup | undefined; onRefused?: (refusal: AddressRefusal) => void } = {},
) {
  const { lookUp = lookup, onRefused } = options;
  const allowed = parseAllowed(allowPrivate);
  const isAllowedHost = (hostname: string) => allowed.hosts.has(hostname.toLowerCase());

  function isAllowedAddress(text: string): boolean {
    const address = toReachedAddress(text);
    return isPublicAddress(address) || allowed.networks.some((network) => isWithin(address, network));
  }

  const checkAddress = (address: string) => {
    if (isAllowedAddress(address)) return;
    throw new AddressRefused(
      `${address} is a private address, which is not allowed here. The operator can allow it with URL_ALLOW_PRIVATE`,
    );
  };

  /** Why a name can't be connected to; undefined if all its addresses are allowed. */
  function findObstacle(
    hostname: string,
    error: Error | null,
    addresses: LookupAddress[],
  ): string | undefined {
    if (error) return error.message;
    if (addresses.length === 0) return "the name has no address";
    const closed = isAllowedHost(hostname)
      ? undefined
      : addresses.find(({ address }) => !isAllowedAddress(address));
    return closed && `${closed.address} is not a public address`;
  }

  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const addresses = found ?? [];
      const reason = findObstacle(hostname, error, addresses);
      const [first] = addresses;
      if (reason !== undefined || !first) {
        onRefused?.({ hostname, reason: reason ?? "" });
        return callback(new HostNotPublic(hostname, { isTransient: error?.code === "EAI_AGAIN" }), "", 0);
      }
      if (options.all)
        return (callback as unknown as (error: null, all: LookupAddress[]) => void)(null, addresses);
      return callback(null, first.address, first.family);
    });
  };

  const connect = buildConnector({ lookup: guardedLookup, timeout: 15_000 });
  const dispatcher = new Agent({
    connect: (options, callback) => {
      const hostname = toHostname(options.hostname);
      try {
        // A literal address is connected to without a lookup.
        if (isIP(hostname)) checkAddress(hostname);
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
    /** Checks the text of a URL. Plain http is only for addresses the operator allowed; everything else is https. */
    checkUrl(url: URL): void {
      const hostname = toHostname(url.hostname);
      if (isIP(hostname)) checkAddress(hostname);
      if (url.protocol === "https:") return;
      const isNamed =
        isAllowedHost(hostname) || (isIP(hostname) !== 0 && !isPublicAddress(toReachedAddress(hostname)));
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
