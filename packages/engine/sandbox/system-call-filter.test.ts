import { describe, expect, it } from "vitest";
import { makeEngineFilter, makeMediaFilter } from "./system-call-filter.ts";
import { findCallNumber, type Processor, type SystemCall } from "./system-calls.ts";

const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 };
const OWN_PID = 4242;
const VERDICTS = new Map([
  [0x7fff0000, "allowed"],
  [0x00050001, "EPERM"],
  [0x00050026, "ENOSYS"],
  [0x80000000, "killed"],
]);

/** Interprets the few instructions a filter uses, like the kernel. */
function run(filter: Buffer, data: { number: number; architecture: number; args?: number[] }): string {
  const { number, architecture, args = [] } = data;
  let held = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const skips = { isTrue: filter.readUInt8(at + 2), isFalse: filter.readUInt8(at + 3) };
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        held = value === 0 ? number : value === 4 ? architecture : (args[(value - 16) / 8] ?? 0);
        break;
      case 0x54:
        held = (held & value) >>> 0;
        break;
      case 0x15:
        at += 8 * (held === value ? skips.isTrue : skips.isFalse);
        break;
      case 0x35:
        at += 8 * (held >= value ? skips.isTrue : skips.isFalse);
        break;
      case 0x06:
        return VERDICTS.get(value) ?? `0x${value.toString(16)}`;
    }
  }
  return "ran off its end";
}

describe.each(["x64", "arm64"] as const)("the filter of a media child on %s", (processor: Processor) => {
  const filter = makeMediaFilter({ processor, ownPid: OWN_PID });
  const ask = (call: SystemCall, args?: number[]) =>
    run(filter, {
      number: findCallNumber(call, processor) ?? -1,
      architecture: ARCHITECTURES[processor],
      ...(args ? { args } : {}),
    });

  it.each(["read", "write", "lseek", "brk", "futex", "exit_group"] as const)(
    "[S5] lets %s through",
    (call) => {
      expect(ask(call)).toBe("allowed");
    },
  );

  it.each([
    ...(["openat", "socket", "kill", "ptrace", "clone", "execve", "io_uring_setup", "seccomp"] as const),
  ])("[S5] refuses %s", (call) => {
    expect(ask(call)).toBe("EPERM");
  });

  it("[S5] clone3 fails as unimplemented, so that glibc falls back to the older call", () => {
    expect(ask("clone3")).toBe("ENOSYS");
  });

  it.each<[SystemCall, string, number[], string]>([
    ["mmap", "private memory", [0, 4096, 3, 0x22], "allowed"],
    ["mmap", "shared memory, which no limit counts", [0, 4096, 3, 0x21], "EPERM"],
    ["mmap", "a stack, which no limit counts", [0, 4096, 3, 0x122], "EPERM"],
    ["fcntl", "the flags of a descriptor", [3, 3], "allowed"],
    ["fcntl", "whom the kernel sends signals to", [3, 8], "EPERM"],
    ["tgkill", "its own end", [OWN_PID, 1, 6], "allowed"],
    ["tgkill", "another process's", [1, 1, 6], "EPERM"],
    ["prctl", "the name of a thread", [15], "allowed"],
    ["prctl", "anything else", [22], "EPERM"],
    ["prlimit64", "its own limits", [0], "allowed"],
    ["prlimit64", "another process's", [1], "EPERM"],
    ["newfstatat", "a descriptor", [3, 0, 0, 0x1000], "allowed"],
    ["newfstatat", "a path", [3, 0, 0, 0], "EPERM"],
  ])("[S5] of %s judges %s", (call, _what, args, verdict) => {
    expect(ask(call, args)).toBe(verdict);
  });

  it("[S5] kills a process that uses another architecture's system calls", () => {
    const other = processor === "x64" ? "arm64" : "x64";
    expect(run(filter, { number: 0, architecture: ARCHITECTURES[other] })).toBe("killed");
    expect(run(filter, { number: 0x40000000, architecture: ARCHITECTURES[processor] })).toBe("killed");
  });
});

describe.each(["x64", "arm64"] as const)("the filter of an engine child on %s", (processor: Processor) => {
  const ask = (number: number, architecture = ARCHITECTURES[processor]) =>
    run(makeEngineFilter(processor), { number, architecture });

  it.each(["socket", "ptrace", "process_vm_writev", "io_uring_setup", "bpf", "keyctl"] as const)(
    "[S40] refuses %s",
    (call) => {
      expect(ask(findCallNumber(call, processor) ?? -1)).toBe("EPERM");
    },
  );

  it("[S40] lets everything else through, but not another architecture's calls", () => {
    for (const call of ["openat", "clone", "execve", "mmap", "seccomp"] as const)
      expect(ask(findCallNumber(call, processor) ?? -1)).toBe("allowed");
    expect(ask(0, ARCHITECTURES[processor === "x64" ? "arm64" : "x64"])).toBe("killed");
  });
});
