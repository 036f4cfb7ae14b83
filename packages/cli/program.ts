import { Command } from "commander";
import { addCompletionCommand } from "./completion/completion-command.ts";
import { addModelsCommands } from "./models/models-commands.ts";
import packageFile from "./package.json" with { type: "json" };
import { addRemoteCommands } from "./remote/remote-commands.ts";
import { addServerCommands } from "./server/server-commands.ts";
import { addWorkCommands } from "./work/work-commands.ts";

/** Every command. A command imports what it needs when it runs, so that `--help` is fast. */
export function makeProgram(): Command {
  const program = new Command("stemwright")
    .description(packageFile.description)
    .version(packageFile.version)
    // An option after a subcommand is the subcommand's.
    .enablePositionalOptions()
    .showHelpAfterError("(stemwright --help lists the commands)");
  addWorkCommands(program);
  addModelsCommands(program);
  addRemoteCommands(program);
  addServerCommands(program);
  program
    .command("doctor")
    .description("check this machine: what is wrong, and how to fix it")
    .option("--json", "one JSON object a line", false)
    .addHelpText("after", "\nExamples:\n  $ stemwright doctor\n")
    .action(async (options: { json: boolean }) => {
      const { runDoctor } = await import("./doctor/run-doctor.ts");
      process.exitCode = await runDoctor(options);
    });
  addCompletionCommand(program);
  return program;
}
