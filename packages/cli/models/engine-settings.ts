import { PROVIDER_SETTINGS, SANDBOX_MODES, setSandboxMode } from "@stemwright/engine";
import { CliError } from "../cli-error.ts";
import { cacheDir, executionProvider, mediaSandbox } from "../environment.ts";

/** What the environment says of an engine on this machine. */
export async function engineSettings(): Promise<{
  cacheDir: string;
  executionProvider: (typeof PROVIDER_SETTINGS)[number];
}> {
  setSandboxMode(pick("MEDIA_SANDBOX", mediaSandbox(), SANDBOX_MODES));
  return {
    cacheDir: cacheDir(),
    executionProvider: pick("EXECUTION_PROVIDER", executionProvider(), PROVIDER_SETTINGS),
  };
}

function pick<Choice extends string>(name: string, given: string, known: readonly Choice[]): Choice {
  const choice = known.find((one) => one === given);
  if (choice === undefined)
    throw new CliError("USAGE", `${name} is "${given}"; it must be one of ${known.join(", ")}.`);
  return choice;
}
