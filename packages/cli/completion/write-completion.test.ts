import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { makeProgram } from "../program.ts";
import { COMPLETIONS, type Shell } from "./write-completion.ts";

/** Home and working directory of a shell, with the script and a folder with a song. */
async function makeHome(shell: Shell): Promise<string> {
  const home = await makeTempDir("completion");
  onTestFinished(() => rm(home, { recursive: true }));
  await writeFile(join(home, "_stemwright"), COMPLETIONS[shell](makeProgram()));
  await mkdir(join(home, "songs"));
  await writeFile(join(home, "songs/first.mp3"), "");
  return home;
}

/** A shell on a pseudo-terminal: types the line and a tab, then a line that ends the reading. */
const ZSH_SCRIPT = String.raw`zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='ready> '; unsetopt beep; unset zle_bracketed_paste; stty rows 100 cols 200"
zpty -w shell "fpath=(\$PWD \$fpath); autoload -Uz compinit; compinit -u -d ./dump; LISTMAX=0; echo lo''aded"
zpty -r shell seen '*loaded*ready*'
zpty -n -w shell "$1"$'\t\x15echo do\'\'ne\n'
zpty -r shell seen $'*do\'\'ne*done*'
print -r -- $seen`;

/** How to ask each shell for completions, and how to parse its answer: one word per line, without descriptions. */
const SHELLS: Record<Shell, { args: string[]; parse: (printed: string) => string[] }> = {
  bash: {
    args: [
      "--norc",
      "-c",
      `source ./_stemwright; COMP_WORDS=($1); [[ $1 == *' ' ]] && COMP_WORDS+=(""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_stemwright; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "ask",
    ],
    parse: (printed) => printed.trim().split("\n"),
  },
  zsh: {
    args: ["-f", "-c", ZSH_SCRIPT, "ask"],
    // The candidates, or the line with its last word completed.
    parse: (printed) => {
      const offered = [...printed.matchAll(/^(\S+) +-- /gm)].map(([, word = ""]) => word);
      const [, completed = ""] = /^> stemwright .*?(\S+) ?\r/.exec(printed) ?? [];
      return offered.length > 0 ? offered : [completed];
    },
  },
  fish: {
    args: ["--no-config", "-c", "source _stemwright; complete -C $argv[1]"],
    parse: (printed) =>
      printed
        .trim()
        .split("\n")
        .map((line) => line.split("\t")[0] ?? ""),
  },
};

const isInstalled = (shell: string) => spawnSync(shell, ["-c", "exit"]).status === 0;

async function complete(shell: Shell, line: string): Promise<string[]> {
  const home = await makeHome(shell);
  const { args, parse } = SHELLS[shell];
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb" };
  const { stdout } = spawnSync(shell, [...args, line], { cwd: home, env, encoding: "utf8" });
  return parse(stdout);
}

describe.each(["bash", "zsh", "fish"] as const)("%s", (shell) => {
  const isMissing = !isInstalled(shell);
  if (isMissing) console.warn(`no ${shell} on this machine: its completion is not tested`);

  it.skipIf(isMissing)("[S24] completes commands, their subcommands, and options", async () => {
    expect((await complete(shell, "stemwright se")).toSorted()).toEqual(["separate", "serve"]);
    const subcommands = ["cancel", "download", "list", "show"];
    expect((await complete(shell, "stemwright tasks ")).toSorted()).toEqual(subcommands);
    expect(await complete(shell, "stemwright separate a.mp3 --ste")).toEqual(["--stems"]);
  });

  // bash itself completes files, not the script.
  it.skipIf(isMissing || shell === "bash")("[S24] completes files", async () => {
    expect(await complete(shell, "stemwright separate so")).toEqual(["songs/"]);
  });

  it("[S24] knows every command and option", () => {
    const script = COMPLETIONS[shell](makeProgram());
    for (const command of makeProgram().commands) {
      expect(script).toContain(command.name());
      for (const { long } of command.options) expect(script).toContain((long ?? "").replace("--", ""));
    }
  });
});
