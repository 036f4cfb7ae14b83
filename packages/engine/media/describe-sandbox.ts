import { z } from "zod";
import { getSandboxMode, type SandboxMode } from "./sandbox-mode.ts";
import { GUARANTEES, type Guarantee, type SandboxReport } from "./sandbox-report.ts";
import { startMediaChild } from "./start-media-child.ts";

const reportSchema: z.ZodType<SandboxReport> = z.object({
  layers: z.array(z.string()),
  missing: z.array(z.string()),
  gaps: z.array(z.enum(Object.keys(GUARANTEES) as Guarantee[])),
});

/** The protections in force, as a child started for the purpose finds them on itself. */
export async function describeSandbox(): Promise<SandboxReport & { mode: SandboxMode }> {
  const child = await startMediaChild({
    work: { kind: "describe" },
    resultSchema: reportSchema,
    watchStall: true,
  });
  return { mode: getSandboxMode(), ...(await child.result) };
}
