import {
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";

/**
 * Preloaded by `--import <this file>?places=<JSON>`: does in an engine process what a model file would do that has taken it over, and writes the outcome of
 * each attempt to a file: "done", or the name of the error. Plain JavaScript: npm's own Node loads it too.
 */
const { dataDir, parentPid, weights, outcomePath } = JSON.parse(
  new URL(import.meta.url).searchParams.get("places"),
);
const koffi = createRequire(import.meta.url)("koffi");
const libc = koffi.load(null);
const inData = (name) => `${dataDir}/${name}`;

/** Calls the C library, as an exploit would. */
function call(prototype, ...values) {
  if (Number(libc.func(prototype)(...values)) === -1) throw { code: getSystemErrorName(-koffi.errno()) };
}

const ATTEMPTS = {
  "make a TCP socket": () => call("int socket(int domain, int type, int protocol)", 2, 1, 0),
  "make a unix socket": () => call("int socket(int domain, int type, int protocol)", 1, 1, 0),
  "read the encryption key": () => readFileSync(inData("encryption.key")),
  "list the blobs": () => readdirSync(inData("blobs")),
  "remove a blob": () => rmSync(inData("blobs/a.wav")),
  "read the input of another Task": () => readFileSync(inData("work/other/input")),
  "read the cached stems of others": () => readdirSync(inData("cache/stems")),
  "write into the data folder": () => writeFileSync(inData("planted"), ""),
  "replace the weights": () => openSync(weights, "r+"),
  "read the shadow file": () => readFileSync("/etc/shadow"),
  "read the list of users": () => readFileSync("/etc/passwd"),
  "write to /tmp": () => writeFileSync(`/tmp/stemwright-planted-${process.pid}`, ""),
  "leave a link in its own folder": () => symlinkSync("/etc/shadow", inData("work/mine/link")),
  "move its input to others": () => renameSync(inData("work/mine/input"), inData("work/other/moved")),
  "read the parent's environment": () => readFileSync(`/proc/${parentPid}/environ`),
  "signal the parent": () => process.kill(parentPid, "SIGUSR2"),
  "trace the parent": () =>
    call("long ptrace(long request, int pid, void *address, void *data)", 16, parentPid, null, null),
  "become another user": () => call("int setuid(unsigned int uid)", 12345),
  "mount a file system": () =>
    call(
      "int mount(const char *from, const char *to, const char *type, unsigned long flags, void *data)",
      "none",
      inData("work/mine"),
      "tmpfs",
      0,
      null,
    ),
  "make an io_uring": () =>
    call("long syscall(long number, ...)", 425, "int", 4, "void *", Buffer.alloc(120)),
  "read its input": () => readFileSync(inData("work/mine/input")),
  "write into its folder": () => mkdirSync(inData("work/mine/engine/made")),
  "read the weights": () => openSync(weights, "r"),
};

const outcomes = Object.entries(ATTEMPTS).map(([name, attempt]) => {
  try {
    attempt();
    return [name, "done"];
  } catch (error) {
    return [name, error.code ?? String(error)];
  }
});
writeFileSync(
  outcomePath,
  JSON.stringify({
    outcomes: Object.fromEntries(outcomes),
    environment: readFileSync("/proc/self/environ", "utf8"),
  }),
);
