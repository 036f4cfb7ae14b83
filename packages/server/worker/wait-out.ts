import { callUntilAnswered, type Patience } from "../waiting/call-until-answered.ts";

/** The same port, over a database that may be temporarily unavailable: work continues when it is back. */
export function waitOut<Port extends object>(port: Port, patience: Patience): Port {
  const wrapped = Object.entries(port).map(([name, call]) => [
    name,
    (...args: unknown[]) => callUntilAnswered(() => call.apply(port, args), patience),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
