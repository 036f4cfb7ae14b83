import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { COMPLETIONS, type Shell } from "./write-completion.ts";

const HOW_TO = `
Examples:
  $ stemwright completion bash
  $ stemwright completion zsh
  $ stemwright completion fish

Install it with one of
  stemwright completion bash > ~/.local/share/bash-completion/completions/stemwright
  stemwright completion zsh > "\${fpath[1]}/_stemwright"
  stemwright completion fish > ~/.config/fish/completions/stemwright.fish
`;

export function addCompletionCommand(program: Command): void {
  const shells = Object.keys(COMPLETIONS);
  program
    .command("completion")
    .description("write a completion script for your shell")
    .argument("<shell>", shells.join(", "))
    .addHelpText("after", HOW_TO)
    .action((shell: string) => {
      if (!(shell in COMPLETIONS))
        throw new CliError("USAGE", `No completion for ${shell}; there is one for ${shells.join(", ")}.`);
      process.stdout.write(COMPLETIONS[shell as Shell](program));
    });
}
