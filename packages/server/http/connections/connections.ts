import type { Server } from "node:http";
import { BlockList, isIPv6, type Socket } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";

export type ConnectionCounts = {
  connectionsMax: number;
  /** 0 = no limit. */
  connectionsPerAddress: number;
  firstByteTimeoutSeconds: number;
};

/** Connections accepted beyond the limits, for health checks and for 503 responses. */
const MAX_OVER_LIMIT = 64;
/** A silent over-limit connection is closed, to free its slot. */
const OVER_LIMIT_SILENCE_MS = 2000;

type Connection = { socket: Socket; groups: Group[]; requests: number; isOverLimit: boolean };

/** All connections, or those of one address. Sets are in order of arrival: the oldest is closed first. */
class Group {
  readonly max: number;
  readonly address: string | undefined;
  total = 0;
  /** No request has arrived yet. */
  readonly silent = new Set<Connection>();
  /** Between two requests. */
  readonly idle = new Set<Connection>();

  constructor(max: number, address?: string) {
    this.max = max;
    this.address = address;
  }

  get hasRoom(): boolean {
    return this.total <= this.max;
  }
}

/** A trusted proxy's address is not limited: its connections belong to many clients. */
function makeIsProxy(trustProxy: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const entry of trustProxy) {
    const [address = "", bits] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return (address) => proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/**
 * Limits connections, per address and in total. If there are too many, a silent connection is closed, or else an idle one. If
 * all are busy, a few more are accepted over the limit; the caller rejects their requests.
 */
export function watchConnections(server: Server, counts: ConnectionCounts, trustProxy: readonly string[]) {
  const isProxy = makeIsProxy(trustProxy);
  const all = new Group(counts.connectionsMax);
  const byAddress = new Map<string, Group>();
  const connections = new Map<Socket, Connection>();
  const overLimit = new Set<Connection>();

  function findAddressGroup(address: string | undefined): Group | undefined {
    // A connection that is already gone has no address.
    if (counts.connectionsPerAddress === 0 || address === undefined || isProxy(address)) return undefined;
    const key = normalizeIP(address);
    const group = byAddress.get(key) ?? new Group(counts.connectionsPerAddress, key);
    byAddress.set(key, group);
    return group;
  }

  function forget(connection: Connection): void {
    if (!connections.delete(connection.socket)) return;
    overLimit.delete(connection);
    for (const group of connection.groups) {
      group.total -= 1;
      group.silent.delete(connection);
      group.idle.delete(connection);
      if (group.total === 0 && group.address !== undefined) byAddress.delete(group.address);
    }
  }

  function drop(connection: Connection): void {
    forget(connection);
    connection.socket.destroy();
  }

  function findQuiet(group: Group, newcomer: Connection): Connection | undefined {
    for (const quiet of [group.silent, group.idle])
      for (const connection of quiet) if (connection !== newcomer) return connection;
    return undefined;
  }

  function makeRoom(newcomer: Connection): void {
    for (const group of newcomer.groups) {
      if (group.hasRoom) continue;
      const quiet = findQuiet(group, newcomer);
      if (quiet) drop(quiet);
      else newcomer.isOverLimit = true;
    }
    if (!newcomer.isOverLimit) return;
    overLimit.add(newcomer);
    if (overLimit.size > MAX_OVER_LIMIT) drop(newcomer);
  }

  server.on("connection", (socket: Socket) => {
    const groups = [findAddressGroup(socket.remoteAddress), all].filter((group) => group !== undefined);
    const connection: Connection = { socket, groups, requests: 0, isOverLimit: false };
    connections.set(socket, connection);
    for (const group of groups) {
      group.total += 1;
      group.silent.add(connection);
    }
    makeRoom(connection);
    const limitMs = connection.isOverLimit ? OVER_LIMIT_SILENCE_MS : counts.firstByteTimeoutSeconds * 1000;
    const timer = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, limitMs);
    socket.once("close", () => {
      clearTimeout(timer);
      forget(connection);
    });
  });

  // The first listener, so that a request's own connection is marked busy before anything else runs.
  server.prependListener("request", ({ socket }, response) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.requests += 1;
    for (const { silent, idle } of connection.groups) {
      silent.delete(connection);
      idle.delete(connection);
    }
    response.once("close", () => {
      connection.requests -= 1;
      if (connection.requests > 0 || !connections.has(socket)) return;
      for (const { idle } of connection.groups) idle.add(connection);
    });
  });

  return {
    /** Whether this connection is over the limit, and still finds no room. */
    isOverLimit(socket: Socket): boolean {
      const connection = connections.get(socket);
      if (!connection?.isOverLimit) return false;
      connection.isOverLimit = !connection.groups.every(({ hasRoom }) => hasRoom);
      if (!connection.isOverLimit) overLimit.delete(connection);
      return connection.isOverLimit;
    },
  };
}
