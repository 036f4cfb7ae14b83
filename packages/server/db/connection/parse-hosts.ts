export type DatabaseHost = { host: string; port: number };

const DEFAULT_PORT = 5432;
/** Scheme and credentials, hosts, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
const HOST = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/;
const PARAMETERS = /([?&])(host|port|target_session_attrs)=([^&#]*)/g;

/**
 * The hosts of a URL as libpq writes several: `postgresql://user@one:5432,two:5432/name`, or `?host=one,two&port=5432,5433`, and the URL with the first alone.
 * Undefined if it is no URL of PostgreSQL. We always want the server that accepts writes, so that `target_session_attrs` says nothing new.
 */
export function parseHosts(url: string): { hosts: DatabaseHost[]; firstUrl: string } | undefined {
  const [, start, authority, rest] = PARTS.exec(url) ?? [];
  if (start === undefined || authority === undefined || rest === undefined) return undefined;
  const given: Record<string, string[]> = {};
  const firstRest = rest
    .replaceAll(PARAMETERS, (_all, before: string, name: string, value: string) => {
      given[name] = value.split(",");
      return name === "target_session_attrs" ? before : `${before}${name}=${given[name][0] ?? ""}`;
    })
    .replaceAll(/&(?=&|$)/g, "")
    .replace(/\?&*$/, "")
    .replace("?&", "?");
  const named = authority.split(",");
  const firstUrl = `${start}${named[0] ?? ""}${firstRest}`;
  if (!URL.canParse(firstUrl.replace("@/", "@local/"))) return undefined;
  const ports = given.port ?? [];
  const hosts = (given.host ?? named).map((text, index) => {
    const [, host = "", port] = (given.host ? undefined : HOST.exec(text)) ?? [];
    return {
      host: given.host ? decodeURIComponent(text) : host.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port ?? ports[index] ?? ports[0] ?? DEFAULT_PORT),
    };
  });
  const isComplete = hosts.length === 1 || hosts.every(({ host, port }) => host !== "" && port > 0);
  return isComplete ? { hosts, firstUrl } : undefined;
}
