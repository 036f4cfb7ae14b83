import { EXIT_CODES } from "../exit-codes.ts";
import { CHECKS, type Finding } from "./checks.ts";

const SIGNS: Record<Finding["state"], string> = { ok: "ok  ", warning: "note", problem: "WRONG" };

/** Runs every check; the exit code says whether Stemwright can work here. */
export async function runDoctor({ json }: { json: boolean }): Promise<number> {
  let hasProblem = false;
  for (const [name, check] of Object.entries(CHECKS)) {
    const finding = await check().catch(toFinding);
    hasProblem ||= finding.state === "problem";
    process.stdout.write(json ? `${JSON.stringify({ check: name, ...finding })}\n` : format(name, finding));
  }
  return EXIT_CODES[hasProblem ? "NOT_READY" : "DONE"].code;
}

function toFinding(error: unknown): Finding {
  return { state: "problem", message: error instanceof Error ? error.message : String(error) };
}

function format(name: string, { state, message, fix }: Finding): string {
  const line = `${SIGNS[state].padEnd(5)}  ${name.padEnd(8)}  ${message}\n`;
  return fix === undefined ? line : `${line}${" ".repeat(17)}→ ${fix}\n`;
}
