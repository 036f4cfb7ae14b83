import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { findCallNumber, type Processor, type SystemCall } from "./system-calls.ts";

/** System calls that drop privileges, which Node has no functions for. The only importer of koffi. */

if (process.platform !== "linux") throw new Error(`there is no sandbox for ${process.platform}`);
if (process.arch !== "x64" && process.arch !== "arm64")
  throw new Error(`there is no sandbox for ${process.arch}`);
export const PROCESSOR: Processor = process.arch;

const libc = koffi.load(null);
const syscall = libc.func("long syscall(long number, ...)");
const chroot = libc.func("int chroot(const char *path)");
const mkdtemp = libc.func("char *mkdtemp(_Inout_ char *template)");
const chdir = libc.func("int chdir(const char *path)");
const rmdir = libc.func("int rmdir(const char *path)");
koffi.struct("FilterProgram", { length: "uint16_t", instructions: "void *" });

/** Each argument follows its type. Returns the kernel's result, or throws the name of its error. */
export function callKernel(call: SystemCall, ...typedArguments: unknown[]): number {
  const number = findCallNumber(call, PROCESSOR);
  if (number === undefined) throw new Error(`${call}: ENOSYS`);
  return check(call, Number(syscall(number, ...typedArguments)));
}

function check(what: string, result: number): number {
  if (result === -1) throw new Error(`${what}: ${getSystemErrorName(-koffi.errno())}`);
  return result;
}

/** Sets the soft and hard limit of a resource, numbered as in asm-generic/resource.h. */
export function setLimit(resource: number, soft: number, hard: number): void {
  const limits = BigUint64Array.of(BigInt(soft), BigInt(hard));
  callKernel("prlimit64", "int", 0, "int", resource, "void *", limits, "void *", null);
}

const PR_SET_PDEATHSIG = 1;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;

function control(option: number, value: number): void {
  callKernel("prctl", "int", option, "long", value, "long", 0, "long", 0, "long", 0);
}

/** The kernel kills this process with its parent. A change of user resets that. */
export function endWithParent(signal: number): void {
  control(PR_SET_PDEATHSIG, signal);
}

export function renounceNewPrivileges(): void {
  control(PR_SET_NO_NEW_PRIVS, 1);
}

/** Moves every thread into an empty root, whose folder is removed first, so it stays empty. Needs CAP_SYS_CHROOT. */
export function enterEmptyRoot(): void {
  const template = Buffer.from("/tmp/stemwright-empty-XXXXXX\0");
  if (mkdtemp(template) === null) check("mkdtemp", -1);
  const path = template.toString("latin1", 0, template.length - 1);
  check("chdir", chdir(path));
  check("rmdir", rmdir(path));
  check("chroot", chroot("."));
}

const CAPABILITY_VERSION = 0x20080522;

/** For the calling thread, the one that reads media. */
export function dropCapabilities(): void {
  callKernel("capset", "void *", Uint32Array.of(CAPABILITY_VERSION, 0), "void *", new Uint32Array(6));
}

/** linux/capability.h: a program of root gets it again when it is executed, so it is dropped from the bounding set as well. */
export const CAP_DAC_OVERRIDE = 1;

/** For this thread and the program it executes next: no capabilities but one, which only a process that has it can keep. */
export function keepOnlyCapability(kept: number | undefined): void {
  for (let capability = 0; ; capability++) {
    if (capability === kept) continue;
    try {
      control(PR_CAPBSET_DROP, capability);
    } catch (error) {
      const { message } = error as Error;
      // There are no further ones.
      if (message.endsWith("EINVAL")) break;
      // Without CAP_SETPCAP there are none that an unprivileged program could get.
      if (message.endsWith("EPERM")) break;
      throw error;
    }
  }
  control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const sets = new Uint32Array(6);
  if (kept !== undefined && process.getuid?.() === 0) sets.fill(1 << kept, 0, 2);
  callKernel("capset", "void *", Uint32Array.of(CAPABILITY_VERSION, 0), "void *", sets);
}

const F_SETFD = 2;

/** The next program that this process executes keeps the descriptor. */
export function keepOpen(fd: number): void {
  callKernel("fcntl", "int", fd, "int", F_SETFD, "int", 0);
}

const LANDLOCK_CREATE_RULESET_VERSION = 1;
const LANDLOCK_RULE_PATH_BENEATH = 1;

/** The version of Landlock's interface; throws if the kernel has none. */
export function findLandlockVersion(): number {
  return callKernel(
    "landlock_create_ruleset",
    "void *",
    null,
    "size_t",
    0,
    "uint32_t",
    LANDLOCK_CREATE_RULESET_VERSION,
  );
}

/** Rights by their bits in linux/landlock.h. */
export type LandlockRules = {
  handledFiles: number;
  handledNetwork: number;
  scoped: number;
  allowed: readonly { fd: number; rights: number }[];
};

/** For this thread and the program it executes next. Needs no_new_privs. */
export function restrictByLandlock({ handledFiles, handledNetwork, scoped, allowed }: LandlockRules): void {
  const version = findLandlockVersion();
  const attributes = BigUint64Array.of(BigInt(handledFiles), BigInt(handledNetwork), BigInt(scoped));
  const sizeBytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const ruleset = callKernel(
    "landlock_create_ruleset",
    "void *",
    attributes,
    "size_t",
    sizeBytes,
    "uint32_t",
    0,
  );
  for (const { fd, rights } of allowed) {
    // struct landlock_path_beneath_attr, which is packed.
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(BigInt(rights));
    rule.writeInt32LE(fd, 8);
    callKernel(
      "landlock_add_rule",
      "int",
      ruleset,
      "int",
      LANDLOCK_RULE_PATH_BENEATH,
      "void *",
      rule,
      "uint32_t",
      0,
    );
  }
  callKernel("landlock_restrict_self", "int", ruleset, "uint32_t", 0);
  callKernel("close", "int", ruleset);
}

const SECCOMP_SET_MODE_FILTER = 1;
/** Applies the filter and no_new_privs to all threads. */
const SECCOMP_FILTER_FLAG_TSYNC = 1;

export function filterSystemCalls(instructions: Buffer, { isForAllThreads = true } = {}): void {
  const program = { length: instructions.length / 8, instructions };
  const flags = isForAllThreads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  const options = ["int", SECCOMP_SET_MODE_FILTER, "int", flags];
  const threadId = callKernel("seccomp", ...options, "FilterProgram *", program);
  if (threadId !== 0) throw new Error(`seccomp: thread ${threadId} has a different filter`);
}
