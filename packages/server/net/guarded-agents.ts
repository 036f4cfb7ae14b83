import { type ClientRequestArgs, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";

type Rules = { checkAddress(address: string): void; lookup: LookupFunction };
type OnSocket = (error: Error | null, socket: Duplex) => void;

/** Why a connection is refused; a literal address is connected to without a lookup. */
function findRefusal(rules: Rules, { host }: ClientRequestArgs): Error | undefined {
  try {
    if (host && isIP(host)) rules.checkAddress(host);
    return undefined;
  } catch (refusal) {
    return refusal as Error;
  }
}

const fail = (refusal: Error, callback: OnSocket | undefined): undefined => {
  (callback as ((error: Error) => void) | undefined)?.(refusal);
  return undefined;
};

/** Agents that connect only where the guard allows it, checking the very address that is connected to. */
export function makeGuardedAgents(rules: Rules): { http: HttpAgent; https: HttpsAgent } {
  class GuardedHttpAgent extends HttpAgent {
    override createConnection(options: ClientRequestArgs, callback?: OnSocket) {
      const refusal = findRefusal(rules, options);
      if (refusal) return fail(refusal, callback);
      return super.createConnection({ ...options, lookup: rules.lookup }, callback);
    }
  }
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection(options: ClientRequestArgs, callback?: OnSocket) {
      const refusal = findRefusal(rules, options);
      if (refusal) return fail(refusal, callback);
      return super.createConnection({ ...options, lookup: rules.lookup }, callback);
    }
  }
  const options = { keepAlive: true, maxSockets: 50 };
  return { http: new GuardedHttpAgent(options), https: new GuardedHttpsAgent(options) };
}
export type GuardedAgents = ReturnType<typeof makeGuardedAgents>;
