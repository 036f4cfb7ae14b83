import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/**
 * The contract's types written out, so that the published SDK needs neither the contract nor zod to be typed. Inference through a call makes the
 * compiler print a type's structure instead of its name.
 */
export async function writeContractTypes(options: {
  projectDir: string;
  names: readonly string[];
  path: string;
}): Promise<void> {
  const { projectDir, names, path } = options;
  // Within the project, where the contract is found.
  const distDir = join(projectDir, "dist");
  await mkdir(distDir, { recursive: true });
  const workDir = await mkdtemp(join(distDir, "contract-types-"));
  try {
    const source = [
      'import type * as contract from "@stemwright/contract";',
      "type Expand<T> = T extends readonly (infer I)[] ? Expand<I>[] : T extends object ? { [K in keyof T]: Expand<T[K]> } : T;",
      "declare function expand<T>(): Expand<T>;",
      ...names.map((name) => `export const ${name} = expand<contract.${name}>();`),
    ];
    await writeFile(join(workDir, "types.ts"), source.join("\n"));
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noErrorTruncation: true,
    };
    const config = {
      extends: join(projectDir, "tsconfig.json"),
      compilerOptions: { ...compilerOptions, rootDir: ".", outDir: "out" },
      files: ["types.ts"],
      include: [],
    };
    await writeFile(join(workDir, "tsconfig.json"), JSON.stringify(config));
    await runCommand(["npx", "tsc", "-p", workDir], { cwd: projectDir });
    const printed = await readFile(join(workDir, "out", "types.d.ts"), "utf8");
    await writeFile(path, printed.replace(/^export declare const (\w+):/gm, "export type $1 ="));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
