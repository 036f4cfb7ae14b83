import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";

/** The same port, except that its calls wait while the database is unavailable. */
export function waitOut<Port extends object>(port: Port, retryPolicy: RetryPolicy): Port {
  const wrapped = Object.entries(port).map(([name, call]) => [
    name,
    (...args: unknown[]) => callUntilAnswered(() => call.apply(port, args), retryPolicy),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
