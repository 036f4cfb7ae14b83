import type { Command } from "commander";

/** What every command that works on files has in common. */
export type WorkOptions = {
  output?: string;
  format: string;
  server?: string | true;
  recursive: boolean;
  watch: boolean;
  force: boolean;
  json: boolean;
  jobs: string;
};

export function addWorkOptions(command: Command, options: { format: string; formats: string }): Command {
  return command
    .argument("<files...>", "files, folders, quoted patterns, or - for standard input; URLs with --server")
    .option("-f, --format <list>", `output formats, comma-separated: ${options.formats}`, options.format)
    .option(
      "-o, --output <pattern>",
      "folder, or pattern with {dir} {name} {stem} {ext}; - for standard output",
    )
    .option(
      "-s, --server [url]",
      "let a service do the work (default: STEMWRIGHT_BASE_URL, key: STEMWRIGHT_API_KEY)",
    )
    .option("-r, --recursive", "folders within folders, too", false)
    .option("-w, --watch", "stay, and take what is added to the folders", false)
    .option("--force", "make again what is there already", false)
    .option("-j, --jobs <number>", "inputs at once, with --server", "2")
    .option("--json", "one JSON object a line on standard output", false);
}

/** The words of a list such as `vocals,drums`; each once. */
export function toList(text: string): string[] {
  const words = text.split(",").map((word) => word.trim().toLowerCase());
  return [...new Set(words.filter((word) => word !== ""))];
}
