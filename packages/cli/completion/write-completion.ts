import type { Command } from "commander";

export type Shell = "bash" | "zsh" | "fish";
type Flag = { flag: string; description: string; hasValue: boolean };
type Entry = { path: string[]; description: string; options: Flag[] };

/** Every command and its arguments; the program itself has an empty path. */
function listEntries(command: Command, path: string[] = []): Entry[] {
  const options = command.options.map(({ long, short, description, required }) => ({
    flag: long ?? short ?? "",
    description,
    hasValue: required,
  }));
  return [
    { path, description: command.description(), options },
    ...command.commands.flatMap((sub) => listEntries(sub, [...path, sub.name()])),
  ];
}

const listSubcommands = (entries: readonly Entry[], path: readonly string[]) =>
  entries.filter(
    (entry) => entry.path.length === path.length + 1 && path.every((word, i) => entry.path[i] === word),
  );

const nameOf = ({ path }: Entry) => path.at(-1) ?? "";

/** Words after a command: its options and subcommands, or files if there are none. */
function writeBash(program: Command): string {
  const entries = listEntries(program);
  const cases = entries.map((entry) => {
    const words = [
      ...listSubcommands(entries, entry.path).map(nameOf),
      ...entry.options.map(({ flag }) => flag),
    ];
    return `    "${entry.path.join(" ")}") words="${words.join(" ")}" ;;`;
  });
  return `_stemwright() {
  local path="" word words=""
  local -a known=(${entries.flatMap(({ path }) => (path.length > 0 ? [`"${path.join(" ")}"`] : [])).join(" ")})
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    local next="\${path:+$path }$word" entry
    for entry in "\${known[@]}"; do [[ $entry == "$next" ]] && path=$next; done
  done
  case "$path" in
${cases.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _stemwright stemwright
`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const zshText = (text: string) => text.replace(/[:[\]\\]/g, "\\$&");

function writeZsh(program: Command): string {
  const entries = listEntries(program);
  const cases = entries.map((entry) => {
    const subcommands = listSubcommands(entries, entry.path).map((sub) =>
      quote(`${nameOf(sub)}:${zshText(sub.description)}`),
    );
    const options = entry.options.map(({ flag, description }) => quote(`${flag}:${zshText(description)}`));
    return `    ${quote(entry.path.join(" "))})
      commands=(${subcommands.join(" ")})
      flags=(${options.join(" ")})
      ;;`;
  });
  const known = entries.flatMap(({ path }) => (path.length > 0 ? [quote(path.join(" "))] : []));
  return `#compdef stemwright
_stemwright() {
  local place="" word
  local -a known commands flags
  known=(${known.join(" ")})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    (( \${known[(Ie)\${place:+$place }$word]} )) && place="\${place:+$place }$word"
  done
  case $place in
${cases.join("\n")}
  esac
  (( \${#commands} )) && _describe command commands
  [[ $words[CURRENT] == -* ]] && _describe option flags
  (( \${#commands} )) || _files
}
_stemwright "$@"
`;
}

function writeFish(program: Command): string {
  const entries = listEntries(program);
  const lines = entries.flatMap((entry) => {
    const seen = entry.path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const children = listSubcommands(entries, entry.path);
    const fresh =
      entry.path.length === 0
        ? "__fish_use_subcommand"
        : `${seen.join("; and ")}; and not __fish_seen_subcommand_from ${children.map(nameOf).join(" ")}`;
    const here = entry.path.length === 0 ? "__fish_use_subcommand" : seen.join("; and ");
    return [
      ...children.map(
        (child) =>
          // No files where a command is expected.
          `complete -c stemwright -n ${quote(fresh)} -f -a ${nameOf(child)} -d ${quote(child.description)}`,
      ),
      ...entry.options.map(
        ({ flag, description, hasValue }) =>
          `complete -c stemwright -n ${quote(here)} ${hasValue ? "-r " : ""}-l ${flag.replace(/^-+/, "")} -d ${quote(description)}`,
      ),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** Generated from the commands, so that scripts never go out of date. */
export const COMPLETIONS: Record<Shell, (program: Command) => string> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};
