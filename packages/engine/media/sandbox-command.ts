import { spawn } from "node:child_process";

/** The whole environment of the child and of the tools in front of it: nothing of ours leaks into it. */
export const SANDBOX_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
};

/**
 * RLIMIT_DATA rather than RLIMIT_AS: V8 reserves tens of GiB of address space that it never touches, while
 * the data limit counts only private writable memory. A child starts at about 0.1 GiB.
 */
const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3;

/** A last resort for a child that spins in native code after its parent died; real work stays far below. */
const CPU_LIMIT_SECONDS = 4 * 3600;
/** Beyond the limit that ends it with SIGXCPU: where both are one, Linux sends SIGKILL, as if the machine were at fault. */
const CPU_HARD_LIMIT_SECONDS = CPU_LIMIT_SECONDS + 60;

/** Each row is one protection; its alternatives are tried in order and the first that works here is used. */
function listProtections(isRoot: boolean): string[][][] {
  return [
    // A plain user needs a user namespace to own a network namespace; root must not use one, as the child
    // could then not change to another uid.
    isRoot
      ? [
          ["unshare", "--net", "--ipc"],
          ["unshare", "--net"],
        ]
      : [["unshare", "--user", "--net", "--ipc"]],
    [["setpriv", "--no-new-privs"]],
    [
      [
        "prlimit",
        `--data=${MEMORY_LIMIT_BYTES}`,
        `--cpu=${CPU_LIMIT_SECONDS}:${CPU_HARD_LIMIT_SECONDS}`,
        "--core=0",
        "--nofile=4096",
      ],
    ],
  ];
}

let probed: Promise<readonly string[]> | undefined;

/**
 * The words to put before a command so that it runs with every protection this machine allows; probed once.
 */
export function loadSandboxCommand(): Promise<readonly string[]> {
  probed ??= probeSandboxCommand();
  return probed;
}

async function probeSandboxCommand(): Promise<readonly string[]> {
  const protections = listProtections(process.getuid?.() === 0);
  const chosen = await Promise.all(protections.map(findWorking));
  return chosen.flat();
}

async function findWorking(alternatives: string[][]): Promise<string[]> {
  for (const words of alternatives) {
    if (await succeeds([...words, "true"])) return words;
  }
  return [];
}

function succeeds([command = "", ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", env: SANDBOX_ENVIRONMENT, cwd: "/" });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}
