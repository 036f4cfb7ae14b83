import { z } from "zod";
import { MediaError } from "./media-error.ts";
import { getSandboxMode, type SandboxMode } from "./sandbox-mode.ts";
import { GUARANTEES, type Guarantee, type SandboxReport } from "./sandbox-report.ts";
import { startMediaChild } from "./start-media-child.ts";

const reportSchema: z.ZodType<SandboxReport> = z.object({
  layers: z.array(z.string()),
  missing: z.array(z.string()),
  gaps: z.array(z.enum(Object.keys(GUARANTEES) as Guarantee[])),
});

const ATTEMPTS = 5;

/** The protections in force, as a child process started for this purpose verifies them. A child that is killed is replaced. */
export async function describeSandbox(): Promise<SandboxReport & { mode: SandboxMode }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { mode: getSandboxMode(), ...(await askChild()) };
    } catch (error) {
      const isMachineFault = error instanceof MediaError && error.kind === "machine-failed";
      if (!isMachineFault || attempt === ATTEMPTS) throw error;
    }
  }
}

async function askChild(): Promise<SandboxReport> {
  const child = await startMediaChild({
    work: { kind: "describe" },
    resultSchema: reportSchema,
    watchStall: true,
  });
  return child.result;
}
