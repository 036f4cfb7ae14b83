import { isOutOfReach } from "../../faults/is-out-of-reach.ts";
import type { DatabaseHost } from "./parse-hosts.ts";

/** SQLSTATE. */
const UNABLE_TO_CONNECT = "08001";

type Found = { current: DatabaseHost | undefined; search: Promise<DatabaseHost> | undefined };

/** By URL; of all connections of the process. */
const writers = new Map<string, Found>();

/** The host that was last found to accept writes; else the first that `tryHost` resolves for. Connections that ask at once share a search. */
export async function findWriter(
  url: string,
  hosts: readonly DatabaseHost[],
  tryHost: (host: DatabaseHost) => Promise<void>,
): Promise<DatabaseHost> {
  const found = writers.get(url) ?? { current: undefined, search: undefined };
  writers.set(url, found);
  if (found.current) return found.current;
  found.search ??= Promise.any(hosts.map((host) => tryHost(host).then(() => host)))
    .then((host) => (found.current = host))
    .catch((error: AggregateError) => Promise.reject(explain(hosts, error.errors)))
    .finally(() => {
      found.search = undefined;
    });
  return await found.search;
}

/** The next connection searches again. */
export function forgetWriter(url: string): void {
  const found = writers.get(url);
  if (found) found.current = undefined;
}

/** An outage if one of the hosts may be back as the one that accepts writes; otherwise what the last has against us. */
function explain(hosts: readonly DatabaseHost[], errors: readonly (Error & { code?: string })[]): Error {
  const reasons = errors.map(
    ({ message }, index) => `${hosts[index]?.host}:${hosts[index]?.port}: ${message}`,
  );
  const code = errors.some(isOutOfReach) ? UNABLE_TO_CONNECT : errors.at(-1)?.code;
  return Object.assign(new Error(`no host accepts writes (${reasons.join("; ")})`), { code });
}
