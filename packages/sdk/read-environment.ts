/** Undefined where there is no environment, as in a page, or where it may not be read, as in Deno without `--allow-env`. */
export function readEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
