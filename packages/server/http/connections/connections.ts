import type { Server } from "node:http";
import { BlockList, isIPv6, type Socket } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";

export type ConnectionCounts = {
  connectionsMax: number;
  /** 0 = as many as there are. */
  connectionsPerAddress: number;
  firstByteTimeoutSeconds: number;
};

/** Beyond the limits so many more are let in, for health checks, and to be told that there is no room. */
const GUESTS_MAX = 64;
/** A guest that says nothing keeps others from being one. */
const GUEST_SILENCE_MS = 2000;

type Connection = { socket: Socket; groups: Group[]; requests: number; isGuest: boolean };

/** All connections, or those of one address; the ones that could go first stand in the order they came in. */
class Group {
  readonly max: number;
  readonly address: string | undefined;
  total = 0;
  /** Of these no request has come yet. */
  readonly silent = new Set<Connection>();
  /** These are between two requests. */
  readonly idle = new Set<Connection>();

  constructor(max: number, address?: string) {
    this.max = max;
    this.address = address;
  }

  get hasRoom(): boolean {
    return this.total <= this.max;
  }
}

/** An address on which nobody sits alone is not limited: a proxy's connections are those of all its clients. */
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
 * Who may be connected. When there are too many, of one address or of all, a connection that no request has come over makes
 * room, then one that waits for its next. Where all are busy, a few more are guests: whoever holds this tells them so.
 */
export function watchConnections(server: Server, counts: ConnectionCounts, trustProxy: readonly string[]) {
  const isProxy = makeIsProxy(trustProxy);
  const all = new Group(counts.connectionsMax);
  const byAddress = new Map<string, Group>();
  const connections = new Map<Socket, Connection>();
  const guests = new Set<Connection>();

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
    guests.delete(connection);
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
      else newcomer.isGuest = true;
    }
    if (!newcomer.isGuest) return;
    guests.add(newcomer);
    if (guests.size > GUESTS_MAX) drop(newcomer);
  }

  server.on("connection", (socket: Socket) => {
    const groups = [findAddressGroup(socket.remoteAddress), all].filter((group) => group !== undefined);
    const connection: Connection = { socket, groups, requests: 0, isGuest: false };
    connections.set(socket, connection);
    for (const group of groups) {
      group.total += 1;
      group.silent.add(connection);
    }
    makeRoom(connection);
    const limitMs = connection.isGuest ? GUEST_SILENCE_MS : counts.firstByteTimeoutSeconds * 1000;
    const timer = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, limitMs);
    socket.once("close", () => {
      clearTimeout(timer);
      forget(connection);
    });
  });

  // The first listener, so that a request never finds its own connection among those that may be closed.
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
    /** Whether this one is over the limit, and there is still no room for it. */
    isGuest(socket: Socket): boolean {
      const connection = connections.get(socket);
      if (!connection?.isGuest) return false;
      connection.isGuest = !connection.groups.every(({ hasRoom }) => hasRoom);
      if (!connection.isGuest) guests.delete(connection);
      return connection.isGuest;
    },
  };
}
