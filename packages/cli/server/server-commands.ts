import type { Command } from "commander";
import { becomeServer } from "./become-server.ts";

/** Commands of the service's own program, which parses what follows them. */
const COMMANDS = {
  serve: ["all", "start the service: database, API and workers (settings: docs/settings.md)"],
  api: ["api", "start the API alone; needs DATABASE_URL"],
  worker: ["worker", "start one worker; needs DATABASE_URL"],
  migrate: ["migrate", "bring the database's schema up to date"],
  keys: ["keys", "list, create or revoke API keys at the machine: list | create [--name NAME] | revoke ID"],
  "sign-in": ["sign-in", "a link that signs a person in to the pages"],
  backup: [
    "backup",
    "save database, files and encryption key: FILE.tar or FOLDER; the service may be running",
  ],
  restore: ["restore", "bring a backup into an installation without accounts, while it is stopped"],
  "check-files": [
    "check-files",
    "compare stored files with the database, after lost transactions: [--repair]",
  ],
} as const;

export function addServerCommands(program: Command): void {
  for (const [name, [serverCommand, description]] of Object.entries(COMMANDS))
    program
      .command(name)
      .description(description)
      .allowUnknownOption()
      .argument("[args...]")
      .action((args: string[]) => becomeServer([serverCommand, ...args]));
}
