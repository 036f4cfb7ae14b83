import { findCallNumber, type Processor, type SystemCall } from "./system-calls.ts";

/**
 * System calls a media child may still make once it reads media: I/O on the descriptors it holds, its own memory, its own threads, time, exit. It can
 * open nothing, connect to nothing, start nothing and touch no other process. io_uring, which would do all of that past a filter, and sendmsg, which could
 * flood its parent with descriptors, are not included.
 */
const ALLOWED: readonly SystemCall[] = [
  // Descriptors it already holds.
  ...(["read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek"] as const),
  ...(["ftruncate", "fstat", "fsync", "fdatasync", "dup", "close"] as const),
  // The event loop.
  ...(["epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll"] as const),
  // Its own memory.
  ...(["brk", "munmap", "mremap", "mprotect", "pkey_mprotect", "madvise", "mincore", "membarrier"] as const),
  // Its threads, all of which exist by then.
  ...(["futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "getcpu"] as const),
  ...(["sched_getparam", "sched_getscheduler"] as const),
  ...(["rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall"] as const),
  // Queries.
  ...(["getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid"] as const),
  ...(["getrandom", "getrusage", "uname", "sysinfo", "time", "gettimeofday"] as const),
  ...(["clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep"] as const),
  ...(["exit", "exit_group"] as const),
];

const REFUSED_TO_ENGINE: readonly SystemCall[] = [
  ...(["socket", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"] as const),
  ...(["io_uring_setup", "bpf", "perf_event_open", "userfaultfd"] as const),
  ...(["add_key", "keyctl", "request_key"] as const),
];

/** Calls allowed depending on one argument: it must be one of the values or, with a mask, have none of its bits. */
type Condition = { call: SystemCall; argument: number } & (
  | { isOneOf: readonly number[] }
  | { hasNoneOf: number }
);

const MAP_SHARED = 0x1;
const MAP_GROWSDOWN = 0x100;
const AT_EMPTY_PATH = 0x1000;
const [F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC] = [0, 1, 2, 3, 4, 1030];
const [TCGETS, FIONBIO, FIOCLEX] = [0x5401, 0x5421, 0x5451];
const [PR_SET_NAME, PR_SET_VMA] = [15, 0x53564d41];

function listConditions(ownPid: number): Condition[] {
  return [
    // RLIMIT_DATA counts neither shared memory nor stacks.
    { call: "mmap", argument: 3, hasNoneOf: MAP_SHARED | MAP_GROWSDOWN },
    // How glibc implements fstat. Without an empty root, a path passed to it still reveals whether a file exists and its size.
    { call: "newfstatat", argument: 3, isOneOf: [AT_EMPTY_PATH] },
    // Not F_SETOWN, which makes the kernel send signals to other processes.
    { call: "fcntl", argument: 1, isOneOf: [F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC] },
    { call: "ioctl", argument: 1, isOneOf: [TCGETS, FIONBIO, FIOCLEX] },
    { call: "prctl", argument: 0, isOneOf: [PR_SET_NAME, PR_SET_VMA] },
    // 0 is the calling process.
    { call: "prlimit64", argument: 0, isOneOf: [0] },
    // How a failing process aborts.
    { call: "tgkill", argument: 0, isOneOf: [ownPid] },
  ];
}

// Instructions of classic BPF (linux/bpf_common.h), and the filter's return values (linux/seccomp.h).
const [LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, AND, RETURN] = [0x20, 0x15, 0x35, 0x54, 0x06];
const KILL_PROCESS = 0x80000000;
const ALLOW = 0x7fff0000;
const FAIL = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
// Offsets in struct seccomp_data. Both architectures are little-endian; of the arguments compared here, the kernel uses only the lower half.
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number) => 16 + 8 * index;
/** linux/audit.h. A process could otherwise use another architecture's system calls, which have other numbers. */
const ARCHITECTURES: Record<Processor, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** System calls of the x32 ABI start here. */
const FIRST_X32_NUMBER = 0x40000000;

type Instruction = readonly [code: number, value: number, skipIfTrue: number, skipIfFalse: number];
const plain = (code: number, value: number): Instruction => [code, value, 0, 0];

/** Ends processes that use another architecture's system calls, and loads the number of the call. */
const begin = (processor: Processor): Instruction[] => [
  plain(LOAD, ARCHITECTURE_AT),
  [JUMP_IF_EQUAL, ARCHITECTURES[processor], 1, 0],
  plain(RETURN, KILL_PROCESS),
  plain(LOAD, NUMBER_AT),
  [JUMP_IF_AT_LEAST, FIRST_X32_NUMBER, 0, 1],
  plain(RETURN, KILL_PROCESS),
];

/**
 * The filter of an engine child, as an array of struct sock_filter: no sockets, not even to a file like the database's, which no namespace or Landlock
 * rule covers; no other process's memory; and no large parts of the kernel that it has no use for.
 */
export function makeEngineFilter(processor: Processor): Buffer {
  const refused = REFUSED_TO_ENGINE.flatMap((call): Instruction[] => {
    const number = findCallNumber(call, processor);
    return number === undefined ? [] : [[JUMP_IF_EQUAL, number, 0, 1], plain(RETURN, FAIL | EPERM)];
  });
  return toBytes([...begin(processor), ...refused, plain(RETURN, ALLOW)]);
}

/** The filter of a media child. Calls that are not allowed fail with EPERM. */
export function makeMediaFilter(options: { processor: Processor; ownPid: number }): Buffer {
  const { processor, ownPid } = options;
  const numberOf = (call: SystemCall) => findCallNumber(call, processor);
  const instructions = begin(processor);
  const add = (call: SystemCall, then: readonly Instruction[]) => {
    const number = numberOf(call);
    if (number !== undefined) instructions.push([JUMP_IF_EQUAL, number, 0, then.length], ...then);
  };
  for (const call of ALLOWED) add(call, [plain(RETURN, ALLOW)]);
  for (const condition of listConditions(ownPid)) add(condition.call, checkArgument(condition));
  // glibc then falls back to clone, which is refused.
  add("clone3", [plain(RETURN, FAIL | ENOSYS)]);
  instructions.push(plain(RETURN, FAIL | EPERM));
  return toBytes(instructions);
}

function checkArgument(condition: Condition): Instruction[] {
  const [values, mask] = "isOneOf" in condition ? [condition.isOneOf, []] : [[0], [condition.hasNoneOf]];
  return [
    plain(LOAD, argumentAt(condition.argument)),
    ...mask.map((bits) => plain(AND, bits)),
    ...values.flatMap((value): Instruction[] => [[JUMP_IF_EQUAL, value, 0, 1], plain(RETURN, ALLOW)]),
    plain(RETURN, FAIL | EPERM),
  ];
}

function toBytes(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, value, skipIfTrue, skipIfFalse], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(skipIfTrue, index * 8 + 2);
    bytes.writeUInt8(skipIfFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
