import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { PROJECT_DIR } from "./build-packages.ts";
import { runCommand } from "./run-command.ts";

/** publint's errors and warnings about a package as published. */
export async function checkPackage(packageDir: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: packageDir, pack: false, level: "warning" });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** Are the types wrong? Packages are ES modules alone. */
export async function checkTypes(tarballPath: string): Promise<void> {
  await runCommand(["npx", "attw", "--profile", "esm-only", "--no-emoji", tarballPath], { cwd: PROJECT_DIR });
}
