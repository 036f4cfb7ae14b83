import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { makeProgram } from "../program.ts";
import { COMPLETIONS } from "./write-completion.ts";

const complete = (words: string[]) => {
  const script = `${COMPLETIONS.bash(makeProgram())}
COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _stemwright; echo "\${COMPREPLY[@]}"`;
  return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split(" ");
};

it("[S24] bash completes commands, their subcommands and options", () => {
  expect(complete(["stemwright", "se"])).toEqual(["separate", "serve"]);
  expect(complete(["stemwright", "tasks", ""])).toEqual(["list", "show", "cancel", "download"]);
  expect(complete(["stemwright", "separate", "a.mp3", "--ste"])).toEqual(["--stems"]);
});

it.each(["zsh", "fish"] as const)("[S24] %s knows every command and option", (shell) => {
  const script = COMPLETIONS[shell](makeProgram());
  for (const command of makeProgram().commands) {
    expect(script).toContain(command.name());
    for (const { long } of command.options) expect(script).toContain((long ?? "").replace("--", ""));
  }
});
