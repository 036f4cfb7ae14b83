import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { isOutsideSignal } from "../outside-signal.ts";

/** The whole environment of the child and of its wrapper: none of our variables leak into it. */
export const SANDBOX_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
};

/**
 * Namespaces, which a process can only be started in, in order of preference. In a user namespace a plain user may leave the network and, with
 * `--keep-caps`, enter an empty root. Root must not have one, as the child could then not change to another uid; without capabilities, as in an engine
 * child, it is a plain user here. Some systems let only bwrap create one.
 */
const ALTERNATIVES = {
  root: [
    ["unshare", "--net", "--ipc"],
    ["unshare", "--net"],
  ],
  user: [
    ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--ipc"],
    ["unshare", "--user", "--net", "--ipc"],
    [
      ...["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--die-with-parent"],
      ...["--unshare-pid", "--unshare-net", "--unshare-ipc"],
    ],
  ],
} as const;

let probed: Promise<readonly string[]> | undefined;

/** The command prefix that starts a program in all namespaces this machine allows; may be empty. Probed once. */
export function loadSandboxCommand(): Promise<readonly string[]> {
  probed ??= findWorking(ALTERNATIVES[isPrivilegedRoot() ? "root" : "user"]);
  return probed;
}

function isPrivilegedRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    return !/^CapEff:\s*0+$/m.test(readFileSync("/proc/self/status", "utf8"));
  } catch {
    return true;
  }
}

async function findWorking(alternatives: readonly (readonly string[])[]): Promise<readonly string[]> {
  for (const words of alternatives) {
    if (await succeeds([...words, "true"])) return words;
  }
  return [];
}

const ATTEMPTS = 5;

/** A probe that was killed tells nothing about the machine, so it is repeated. */
async function succeeds(words: readonly string[]): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const end = await run(words);
    if (!isOutsideSignal(end.signal)) return end.code === 0;
  }
  return false;
}

type End = { code: number | null; signal: string | null };

function run([command = "", ...args]: readonly string[]): Promise<End> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", env: SANDBOX_ENVIRONMENT, cwd: "/" });
    child.on("error", () => resolve({ code: null, signal: null }));
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
}
