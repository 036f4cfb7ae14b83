import { readFileSync } from "node:fs";
import { SETTINGS } from "./settings.ts";

type Environment = Record<string, string | undefined>;

/** Settings that may be given as the path of a file, in a variable of the same name with `_FILE` behind it. */
export const SECRET_NAMES = Object.entries(SETTINGS)
  .filter(([, setting]) => "isSecret" in setting)
  .map(([name]) => name);

/** The environment with the contents of the files it names in place of their paths. */
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
