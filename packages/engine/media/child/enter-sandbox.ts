import { constants } from "node:os";
import { makeMediaFilter } from "../../sandbox/system-call-filter.ts";
import { GUARANTEES, type Guarantee, type SandboxReport } from "../sandbox-report.ts";

type Kernel = typeof import("../../sandbox/kernel.ts");

/** Loaded with the rest of the program, so that it is in the compile cache before the sandbox is entered. */
const loaded = await import("../../sandbox/kernel.ts").catch((error: unknown) => ({ error }));

type Layer = {
  name: string;
  /** Empty if other layers guarantee the same. */
  guarantees: readonly Guarantee[];
  /** False if there is nothing to drop; true by default. */
  isNeeded?: () => boolean;
  /** Throws the reason if it is unavailable here. */
  enter(kernel: Kernel, limits: SandboxLimits): void;
};

/** What the work may take; by default what the longest may. */
export type SandboxLimits = { cpuSeconds?: number };

/** "nobody" and "nogroup" on every Linux. */
const NOBODY_ID = 65534;

/**
 * RLIMIT_DATA rather than RLIMIT_AS: V8 reserves tens of GiB of address space that it never touches, while the data limit counts only private
 * writable memory. A child starts at about 0.1 GiB.
 */
const MEMORY_LIMIT_BYTES = 2 * 1024 ** 3;
/** A last resort for a child that spins in native code; real work stays far below. */
const CPU_LIMIT_SECONDS = 4 * 3600;
/** Above the soft limit, which ends it with SIGXCPU: if both are equal, Linux sends SIGKILL, which looks like the OOM killer. */
const CPU_HARD_LIMIT_AFTER_SECONDS = 2;
/** Enough for twelve hours of eight channels at 192 kHz. */
const FILE_LIMIT_BYTES = 256 * 1024 ** 3;
const OPEN_FILES_LIMIT = 256;
/** asm-generic/resource.h */
const RLIMIT = { cpu: 0, fileSize: 1, data: 2, core: 4, processes: 6, openFiles: 7 };

/** In order of entry: each drops what the later ones no longer need. */
const LAYERS: readonly Layer[] = [
  {
    // At least the network. This process was started in them: the parent passes the name of the program.
    name: "namespaces",
    guarantees: ["network"],
    enter() {
      if (process.argv[2] === undefined) throw new Error("neither unshare nor bwrap may be used here");
    },
  },
  {
    // Applies to JavaScript only, not to native code.
    name: "permission model",
    guarantees: [],
    enter() {
      if (process.permission === undefined) throw new Error("started without --permission");
    },
  },
  {
    name: "limits",
    guarantees: ["limits"],
    enter({ setLimit }, { cpuSeconds = CPU_LIMIT_SECONDS }) {
      const limits = [
        [RLIMIT.data, MEMORY_LIMIT_BYTES],
        [RLIMIT.fileSize, FILE_LIMIT_BYTES],
        [RLIMIT.openFiles, OPEN_FILES_LIMIT],
        [RLIMIT.core, 0],
        [RLIMIT.processes, 0],
      ] as const;
      for (const [resource, limit] of limits) setLimit(resource, limit, limit);
      setLimit(RLIMIT.cpu, cpuSeconds, cpuSeconds + CPU_HARD_LIMIT_AFTER_SECONDS);
    },
  },
  { name: "empty root", guarantees: [], enter: ({ enterEmptyRoot }) => enterEmptyRoot() },
  { name: "other user", guarantees: [], isNeeded: () => process.getuid?.() === 0, enter: becomeNobody },
  // A plain user has them inside its user namespace.
  { name: "no capabilities", guarantees: [], enter: ({ dropCapabilities }) => dropCapabilities() },
  {
    name: "ends with its parent",
    guarantees: [],
    enter: ({ endWithParent }) => endWithParent(constants.signals.SIGKILL),
  },
  {
    name: "no new privileges",
    guarantees: ["privileges"],
    enter: ({ renounceNewPrivileges }) => renounceNewPrivileges(),
  },
  {
    name: "system call filter",
    guarantees: ["network", "files", "processes"],
    enter(kernel) {
      kernel.filterSystemCalls(makeMediaFilter({ processor: kernel.PROCESSOR, ownPid: process.pid }));
      checkFilter(kernel);
    },
  },
];

/** In all threads, irrevocably. */
function becomeNobody(): void {
  process.setgroups?.([]);
  process.setgid?.(NOBODY_ID);
  process.setuid?.(NOBODY_ID);
}

const AF_INET = 2;
const SOCK_STREAM = 1;
const AT_FDCWD = -100;

/** Makes calls that the filter must refuse, so that the report states what was verified. */
function checkFilter({ callKernel }: Kernel): void {
  const attempts = {
    socket: ["int", AF_INET, "int", SOCK_STREAM, "int", 0],
    openat: ["int", AT_FDCWD, "const char *", "/", "int", 0, "int", 0],
    kill: ["int", process.pid, "int", 0],
    // Without a program to run, or entries in the ring: a call that gets through fails for that reason instead.
    execve: ["void *", null, "void *", null, "void *", null],
    io_uring_setup: ["int", 0, "void *", null],
  } as const;
  for (const [call, typedArguments] of Object.entries(attempts)) {
    if (failsWith("EPERM", () => callKernel(call as keyof typeof attempts, ...typedArguments))) continue;
    throw new Error(`${call} is not blocked`);
  }
}

function failsWith(code: string, attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch (error) {
    return (error as Error).message.endsWith(code);
  }
}

/** Irrevocably drops every privilege this machine allows to drop, before the child has read a byte of media. */
export function enterSandbox(limits: SandboxLimits = {}): SandboxReport {
  const layers: string[] = [];
  const missing: string[] = [];
  const held = new Set<Guarantee>();
  for (const { name, guarantees, isNeeded = () => true, enter } of LAYERS) {
    if (!isNeeded()) continue;
    try {
      if ("error" in loaded) throw loaded.error;
      enter(loaded, limits);
      layers.push(name);
      for (const guarantee of guarantees) held.add(guarantee);
    } catch (error) {
      missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const required = Object.keys(GUARANTEES) as Guarantee[];
  return { layers, missing, gaps: required.filter((guarantee) => !held.has(guarantee)) };
}
