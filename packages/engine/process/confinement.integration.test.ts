import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { PLAIN_USER, WITHOUT_NAMESPACES } from "../media/support/plain-user.ts";
import type { HostileEngine } from "./support/run-hostile-engine.ts";

const isRoot = process.getuid?.() === 0;

async function runHostileEngine(words: readonly string[]): Promise<HostileEngine> {
  const program = new URL("./support/run-hostile-engine.ts", import.meta.url).pathname;
  const [command = "", ...args] = [...words, process.execPath, program];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], cwd: "/" });
  return JSON.parse(await text(child.stdout)) as HostileEngine;
}

/** Attempts of a model file that took the engine over, and how each fails. */
const OUTCOMES = {
  "make a TCP socket": "EPERM",
  "make a unix socket": "EPERM",
  "read the encryption key": "EACCES",
  "list the blobs": "EACCES",
  "remove a blob": "EACCES",
  "read the input of another Task": "EACCES",
  "read the cached stems of others": "EACCES",
  "write into the data folder": "EACCES",
  "replace the weights": "EACCES",
  "read the shadow file": "EACCES",
  "read the list of users": "EACCES",
  "write to /tmp": "EACCES",
  "leave a link in its own folder": "EACCES",
  "move its input to others": "EACCES",
  "read the parent's environment": "EACCES",
  "signal the parent": "EPERM",
  "trace the parent": "EPERM",
  "become another user": expect.stringMatching(/EPERM|EINVAL/),
  "mount a file system": "EPERM",
  "make an io_uring": "EPERM",
  "read its input": "done",
  "write into its folder": "done",
  "read the weights": "done",
};
const LAYERS = [
  ...["namespaces", "no core dumps", "ends with its parent", "no capabilities"],
  ...["no new privileges", "folders", "system call filter"],
];

it.for([
  { who: "root", words: [], absent: [] },
  { who: "a plain user", words: PLAIN_USER, absent: [] },
  {
    who: "a plain user without namespaces",
    words: [...PLAIN_USER, ...WITHOUT_NAMESPACES],
    absent: ["namespaces"],
  },
])(
  "[S40] a hostile model reaches nothing of a service that $who runs",
  async ({ words, absent }, { skip }) => {
    skip(!isRoot, "only root can start the service as other users");
    const isPossible = spawnSync(words[0] ?? "true", [...words.slice(1), "true"]).status === 0;
    skip(!isPossible, "this machine lets nobody make a user namespace");
    const { outcomes, environment, report } = await runHostileEngine(words);
    skip(
      report?.missing.some((layer) => layer.startsWith("folders")) === true,
      "this kernel has no Landlock",
    );
    expect(outcomes).toEqual(OUTCOMES);
    expect(report?.layers).toEqual(LAYERS.filter((layer) => !absent.includes(layer)));
    expect(environment).toContain("GLIBC_TUNABLES=");
    expect(environment).not.toMatch(/DATABASE_URL|secret/);
  },
);
