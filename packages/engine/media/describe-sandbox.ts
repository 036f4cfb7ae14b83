import { startMediaChild } from "./start-media-child.ts";

/** Lists the protections in force, as a child started for the purpose sees them on itself. */
export async function describeSandbox(): Promise<string[]> {
  const child = await startMediaChild({ request: { kind: "describe" }, watchStall: true });
  return (await child.result) as string[];
}
