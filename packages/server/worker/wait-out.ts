import { callUntilAnswered, type Patience } from "../waiting/call-until-answered.ts";

/** The same port, except that its calls wait while the database is unavailable. */
export function waitOut<Port extends object>(port: Port, patience: Patience): Port {
  const wrapped = Object.entries(port).map(([name, call]) => [
    name,
    (...args: unknown[]) => callUntilAnswered(() => call.apply(port, args), patience),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
