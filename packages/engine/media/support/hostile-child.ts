import { readSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { enterSandbox } from "../child/enter-sandbox.ts";
import type { HostilePlaces } from "./run-hostile-child.ts";

/**
 * Runs in place of the media child in the same sandbox and does what native code taken over by a file would do: it calls the C library. Reports the
 * outcome of each attempt: "done", or the name of the error.
 */

const libc = koffi.load(null);
const call = (prototype: string) => {
  const run = libc.func(prototype);
  return (...values: unknown[]) => Number(run(...values));
};
const open = call("int open(const char *path, int flags, int mode)");
const socket = call("int socket(int domain, int type, int protocol)");
const connect = call("int connect(int socket, const void *address, int length)");
const mmap = libc.func("intptr_t mmap(void *address, size_t length, int rights, int flags, int fd, long at)");

const [AF_UNIX, AF_INET, SOCK_STREAM] = [1, 2, 1];
const [READ_WRITE, SHARED, PRIVATE, ANONYMOUS, GROWS_DOWN] = [3, 1, 2, 0x20, 0x100];
const PTRACE_ATTACH = 16;
const F_SETOWN = 8;
const RLIMIT_DATA = 2;
const GIB = 2 ** 30;
const MAX_DESCRIPTORS = 256;

function tryConnect(domain: number, address: Buffer): number {
  const fd = socket(domain, SOCK_STREAM, 0);
  return fd === -1 ? -1 : connect(fd, address, address.length);
}

function toInternetAddress(port: number): Buffer {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  return address;
}

function toUnixAddress(path: string): Buffer {
  const address = Buffer.alloc(110);
  address.writeUInt16LE(AF_UNIX, 0);
  address.write(path, 2);
  return address;
}

function fork(): number {
  const pid = call("int fork()")();
  if (pid === 0) call("void _exit(int code)")(0);
  return pid;
}

function allocate(flags: number): number {
  for (let taken = 0; taken < 3; taken += 1) {
    if (Number(mmap(null, GIB, READ_WRITE, flags | ANONYMOUS, -1, 0)) === -1) return -1;
  }
  return 0;
}

function makeAttempts(places: HostilePlaces): Record<string, () => number> {
  const { dataDir, parentPid, port, socketPath } = places;
  const inData = (name: string) => `${dataDir}/${name}`;
  return {
    "connect to a port": () => tryConnect(AF_INET, toInternetAddress(port)),
    "connect to a unix socket": () => tryConnect(AF_UNIX, toUnixAddress(socketPath)),
    "read the encryption key": () => open(inData("encryption.key"), 0, 0),
    "list the blobs": () => open(inData("blobs"), 0, 0),
    "read a file of another Task": () => open(inData("work/other/input"), 0, 0),
    "write into the data folder": () => open(inData("planted"), 0o1101, 0o600),
    "remove a blob": () => call("int unlink(const char *path)")(inData("blobs/a.wav")),
    "make a folder": () => call("int mkdir(const char *path, int mode)")(inData("planted"), 0o700),
    "read the shadow file": () => open("/etc/shadow", 0, 0),
    "read the list of users": () => open("/etc/passwd", 0, 0),
    "write to /tmp": () => open(`/tmp/stemwright-planted-${process.pid}`, 0o1101, 0o600),
    "read the parent's environment": () => open(`/proc/${parentPid}/environ`, 0, 0),
    "signal the parent": () => call("int kill(int pid, int signal)")(parentPid, 0),
    "signal everybody": () => call("int kill(int pid, int signal)")(-1, 0),
    "trace the parent": () =>
      call("long ptrace(int request, int pid, long address, long data)")(PTRACE_ATTACH, parentPid, 0, 0),
    "have the kernel signal the parent": () =>
      call("int fcntl(int fd, int command, long value)")(0, F_SETOWN, parentPid),
    "start a process": fork,
    "run a program": () =>
      call("int execve(const char *path, void *words, void *environment)")("/bin/true", null, null),
    "become root": () => call("int setuid(int uid)")(0),
    "make a namespace": () => call("int unshare(int flags)")(0x10000000),
    "raise its memory limit": () =>
      call("int setrlimit(int resource, const void *limits)")(
        RLIMIT_DATA,
        BigUint64Array.of(2n ** 40n, 2n ** 40n),
      ),
    "make an io_uring": () =>
      call("long syscall(long number, ...)")(425, "int", 8, "void *", Buffer.alloc(120)),
    "take 3 GiB of memory": () => allocate(PRIVATE),
    "take 3 GiB of shared memory": () => allocate(SHARED),
    "take 3 GiB as a stack": () => allocate(PRIVATE | GROWS_DOWN),
    "write a file of 300 GiB": () =>
      call("long pwrite(int fd, const void *bytes, size_t length, long at)")(
        places.outputFd,
        Buffer.alloc(1),
        1,
        300 * GIB,
      ),
    "find out that a file exists": () =>
      call("int fstatat(int folder, const char *path, void *stats, int flags)")(
        -100,
        inData("encryption.key"),
        Buffer.alloc(256),
        0x1000,
      ),
  };
}

/** The open descriptors, except those Node creates for its threads and event loop. */
function listDescriptors(): string[] {
  const readlink = call("int readlink(const char *path, void *target, size_t length)");
  const target = Buffer.alloc(4096);
  return Array.from({ length: MAX_DESCRIPTORS }, (_, fd) => {
    const length = readlink(`/proc/self/fd/${fd}`, target, target.length);
    const kind = length === -1 ? "" : target.toString("utf8", 0, length).replace(/\d+/g, "n");
    return kind === "" || /^(pipe|anon_inode):/.test(kind) ? [] : [`${fd} ${kind}`];
  }).flat();
}

await setImmediate();
const request = Buffer.alloc(1 << 16);
const places = JSON.parse(request.toString("utf8", 0, readSync(3, request))) as HostilePlaces;
const attempts = makeAttempts(places);
const descriptors = listDescriptors();
const report = enterSandbox();
const outcomes = Object.fromEntries(
  Object.entries(attempts).map(([name, attempt]) => [
    name,
    attempt() === -1 ? getSystemErrorName(-koffi.errno()) : "done",
  ]),
);
writeSync(3, `${JSON.stringify({ ...report, outcomes, descriptors })}\n`);
process.exit(0);
