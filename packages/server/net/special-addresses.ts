import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * IANA's special-purpose registry for IPv4 and all multicast addresses. The few of these blocks that lead somewhere on the internet (relays, sinks for
 * reverse lookups) host no client's media.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this host on this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carriers' address translation; 100.100.100.200 is Alibaba's metadata
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local: the metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; 192.0.0.192 is Oracle's metadata
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/** Public by number, but inside a cloud they lead to its hosts. */
const CLOUD_IPV4 = [
  "168.63.129.16/32", // Azure's WireServer
  "161.26.0.0/16", // IBM Cloud's own services
  "166.8.0.0/14", // IBM Cloud's service endpoints
];

/**
 * Special blocks of 2000::/3, the only space allocated to the internet. Everything outside it is refused: loopback, fc00::/7 with fd00:ec2::254 and similar,
 * fe80::/10, fec0::/10, 100::/64, 5f00::/16, ff00::/8.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const PUBLIC_IPV6 = "2000::/3";
const SPECIAL_IPV6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

/** Prefixes whose last 32 bits are the IPv4 address that is reached: NAT64, mapped, compatible, translated. */
const WITH_IPV4_INSIDE = ["64:ff9b::/96", "::ffff:0:0/96", "::/96", "::ffff:0:0:0/96"];

const parse = (networks: readonly string[]) => networks.map((network) => ipaddr.parseCIDR(network));
const REFUSED_IPV4 = parse([...SPECIAL_IPV4, ...CLOUD_IPV4]);
const [PUBLIC_IPV6_SPACE] = parse([PUBLIC_IPV6]);
const REFUSED_IPV6 = parse(SPECIAL_IPV6);
const CARRIERS = parse(WITH_IPV4_INSIDE);

export function isWithin(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** The address a connection ends up at: an IPv6 address may embed an IPv4 one. */
export function toReachedAddress(text: string): Address {
  // A scope (fe80::1%eth0) names the interface, not the address.
  const address = ipaddr.parse(text.replace(/%.*$/, ""));
  if (!CARRIERS.some((carrier) => isWithin(address, carrier))) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** An ISATAP interface identifier, which routers forward to the embedded IPv4 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , high = 0, low] = address.parts;
  return (high & ~0x200) === 0 && low === 0x5efe;
}

/** Whether an address is public. */
export function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !REFUSED_IPV4.some((network) => isWithin(address, network));
  return (
    PUBLIC_IPV6_SPACE !== undefined &&
    isWithin(address, PUBLIC_IPV6_SPACE) &&
    !REFUSED_IPV6.some((network) => isWithin(address, network)) &&
    !isIsatap(address as ipaddr.IPv6)
  );
}
