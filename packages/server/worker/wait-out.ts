import { callUntilAnswered, type Patience } from "../waiting/call-until-answered.ts";

/** The same port, over a database that may go away for a while: work goes on where it was when it is back. */
export function waitOut<Port extends object>(port: Port, patience: Patience): Port {
  const wrapped = Object.entries(port).map(([name, call]) => [
    name,
    (...args: unknown[]) => callUntilAnswered(() => call.apply(port, args), patience),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
