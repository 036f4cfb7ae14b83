import { Command } from "commander";
import packageFile from "./package.json" with { type: "json" };
import { addServerCommands } from "./server/server-commands.ts";

/** Every command. What a command needs is imported when it runs: `--help` is there at once. */
export function makeProgram(): Command {
  const program = new Command("stemwright")
    .description(packageFile.description)
    .version(packageFile.version)
    .showHelpAfterError("(stemwright --help lists the commands)");
  addServerCommands(program);
  return program;
}
