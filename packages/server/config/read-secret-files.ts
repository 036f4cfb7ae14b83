import { readFileSync } from "node:fs";
import { SETTINGS } from "./settings.ts";

type Environment = Record<string, string | undefined>;

/** Settings whose value may be in a file, named by the variable with the suffix `_FILE`. */
export const SECRET_NAMES = Object.entries(SETTINGS)
  .filter(([, setting]) => "isSecret" in setting)
  .map(([name]) => name);

/** The environment with the files' contents instead of their paths. */
export function readSecretFiles(environment: Environment): { environment: Environment; mistakes: string[] } {
  const read: Environment = { ...environment };
  const mistakes: string[] = [];
  for (const name of SECRET_NAMES) {
    const variable = `${name}_FILE`;
    const path = environment[variable]?.trim();
    if (path === undefined || path === "") continue;
    try {
      if (environment[name]?.trim())
        mistakes.push(`${name} and ${variable} are both set; leave one of them out`);
      else read[name] = readFileSync(path, "utf8");
    } catch (error) {
      mistakes.push(`${variable} is ${JSON.stringify(path)}: ${(error as Error).message}`);
    }
  }
  return { environment: read, mistakes };
}
