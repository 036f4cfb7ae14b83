import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { findCallNumber, type Processor, type SystemCall } from "./system-calls.ts";

/** System calls that drop privileges, which Node has no functions for. The only importer of koffi. */

if (process.platform !== "linux") throw new Error(`the media sandbox does not support ${process.platform}`);
if (process.arch !== "x64" && process.arch !== "arm64")
  throw new Error(`the media sandbox does not support ${process.arch}`);
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
const PR_SET_NO_NEW_PRIVS = 38;

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

const SECCOMP_SET_MODE_FILTER = 1;
/** Applies the filter and no_new_privs to all threads. */
const SECCOMP_FILTER_FLAG_TSYNC = 1;

export function filterSystemCalls(instructions: Buffer): void {
  const program = { length: instructions.length / 8, instructions };
  const options = ["int", SECCOMP_SET_MODE_FILTER, "int", SECCOMP_FILTER_FLAG_TSYNC];
  const threadId = callKernel("seccomp", ...options, "FilterProgram *", program);
  if (threadId !== 0) throw new Error(`seccomp: thread ${threadId} has a different filter`);
}
