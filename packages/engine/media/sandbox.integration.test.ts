import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SANDBOX_ENVIRONMENT } from "../sandbox/sandbox-command.ts";
import type { MediaWork } from "./media-request.ts";
import { startMediaChild } from "./start-media-child.ts";
import { PLAIN_USER, WITHOUT_NAMESPACES } from "./support/plain-user.ts";
import type { HostileReport } from "./support/run-hostile-child.ts";

const isRoot = process.getuid?.() === 0;
/** A child that waits for PCM until it is killed. */
const work: MediaWork = {
  kind: "encode",
  sampleRateHz: 44100,
  channels: 1,
  channelLayout: "mono",
  files: [],
  tags: {},
  leadSeconds: 0,
};
const waiting = { work, resultSchema: z.unknown(), watchStall: false };

function readStatus(pid: number | string | undefined, field: string): string | undefined {
  return readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`^${field}:[ \\t]*(.*)$`, "m"))?.[1];
}

/** Runs hostile code in place of the decoder of a service that is started with this command prefix. */
async function runHostileCode(words: readonly string[]): Promise<HostileReport> {
  const [command = "", ...args] = [
    ...words,
    process.execPath,
    new URL("./support/run-hostile-child.ts", import.meta.url).pathname,
  ];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], cwd: "/" });
  return JSON.parse(await text(child.stdout)) as HostileReport;
}

const REFUSED = "EPERM";
/** Attempts by a file that took the decoder over, and how each fails. */
const OUTCOMES = {
  "connect to a port": REFUSED,
  "connect to a unix socket": REFUSED,
  "read the encryption key": REFUSED,
  "list the blobs": REFUSED,
  "read a file of another Task": REFUSED,
  "write into the data folder": REFUSED,
  "remove a blob": REFUSED,
  "make a folder": REFUSED,
  "read the shadow file": REFUSED,
  "read the list of users": REFUSED,
  "write to /tmp": REFUSED,
  "read the parent's environment": REFUSED,
  "signal the parent": REFUSED,
  "signal everybody": REFUSED,
  "trace the parent": REFUSED,
  "have the kernel signal the parent": REFUSED,
  "start a process": REFUSED,
  "run a program": REFUSED,
  "become root": REFUSED,
  "make a namespace": REFUSED,
  "raise its memory limit": REFUSED,
  "make an io_uring": REFUSED,
  "take 3 GiB of memory": "ENOMEM",
  "take 3 GiB of shared memory": REFUSED,
  "take 3 GiB as a stack": REFUSED,
  "write a file of 300 GiB": "EFBIG",
};
/** In order of entry. A machine may lack those in the first row, and reports it. */
const LAYERS = [
  ...["namespaces", "empty root", "other user"],
  ...["permission model", "limits", "no capabilities", "ends with its parent"],
  ...["no new privileges", "system call filter"],
];

describe("hostile code behind the sandbox", () => {
  it.for([
    { who: "root", words: [], absent: [] },
    { who: "a plain user", words: PLAIN_USER, absent: ["other user"] },
    {
      who: "a plain user without namespaces",
      words: [...PLAIN_USER, ...WITHOUT_NAMESPACES],
      absent: ["namespaces", "empty root", "other user"],
    },
  ])("[S5] reaches nothing of a service that $who runs", async ({ words, absent }, { skip }) => {
    skip(!isRoot, "only root can start the service as other users");
    const isPossible = spawnSync(words[0] ?? "true", [...words.slice(1), "true"]).status === 0;
    skip(!isPossible, "this machine lets nobody make a user namespace");
    const { outcomes, descriptors, layers, missing, gaps } = await runHostileCode(words);
    expect(gaps).toEqual([]);
    expect([...layers, ...missing.map((text) => text.split(":")[0])].sort()).toEqual(
      LAYERS.filter((name) => name !== "other user" || !absent.includes(name)).sort(),
    );
    expect(layers.filter((name) => absent.includes(name))).toEqual([]);
    const { "find out that a file exists": stat, ...others } = outcomes;
    expect(others).toEqual(OUTCOMES);
    // Without an empty root it can tell that a file exists if it knows the path. It still can't open it.
    expect(stat === "done").toBe(!layers.includes("empty root"));
    expect(descriptors.map((text) => text.replace(/\/.*\/output$/, "output"))).toEqual([
      "0 socket:[n]",
      "1 /dev/null",
      "2 socket:[n]",
      "3 socket:[n]",
      "4 output",
      expect.stringMatching(/^\d+ \/dev\/null$/),
    ]);
  });
});

describe("the sandboxed media child", () => {
  it("[S5] has no privileges, and a system call filter in every thread", async () => {
    const child = await startMediaChild(waiting);
    await child.ready;
    const [realUid] = readStatus(child.pid, "Uid")?.split(/\s+/) ?? [];
    expect(realUid).toBe(isRoot ? "65534" : String(process.getuid?.()));
    if (isRoot) expect(readStatus(child.pid, "Groups")?.trim()).toBe("");
    for (const thread of readdirSync(`/proc/${child.pid}/task`)) {
      const task = `${child.pid}/task/${thread}`;
      expect([readStatus(task, "NoNewPrivs"), readStatus(task, "Seccomp")]).toEqual(["1", "2"]);
      if (isRoot) expect(readStatus(task, "CapEff")).toMatch(/^0+$/);
    }
    expect(readStatus(child.pid, "CapEff")).toMatch(/^0+$/);
    const environment = readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0").filter(Boolean);
    expect(environment.map((entry) => entry.split("=")[0]).sort()).toEqual(
      [...Object.keys(SANDBOX_ENVIRONMENT), "NODE_COMPILE_CACHE"].sort(),
    );
    child.kill();
    await expect(child.result).rejects.toMatchObject({ kind: "crashed" });
  });
});

describe("an incomplete sandbox", () => {
  it.each([
    { mode: "required", told: /^machine-failed: The media sandbox is incomplete here: .*EINVAL/ },
    // It was opened, but is not media.
    { mode: "relaxed", told: /^unreadable: The file is not audio or video/ },
  ])("[S6] a file is opened when it is $mode: $told", async ({ mode, told }) => {
    const engine = JSON.stringify(import.meta.resolve("./index.ts"));
    const program = `
      const { probeMedia, setSandboxMode } = await import(${engine});
      setSandboxMode(${JSON.stringify(mode)});
      const outcome = await probeMedia(${JSON.stringify(import.meta.filename)}).catch(({ kind, message }) => kind + ": " + message);
      process.stdout.write(outcome, () => process.exit());`;
    const preload = import.meta.resolve("./support/refuse-filters.ts");
    const child = spawn(process.execPath, ["--import", preload, "--input-type=module", "-e", program]);
    expect(await text(child.stdout)).toMatch(told);
  });
});

describe("the lifecycle of a media child", () => {
  it.each([
    { signal: "SIGSEGV", kind: "crashed", message: /ended unexpectedly \(signal SIGSEGV\)/ },
    { signal: "SIGABRT", kind: "crashed", message: /ended unexpectedly \(signal SIGABRT\)/ },
    { signal: "SIGXCPU", kind: "crashed", message: /ended unexpectedly \(signal SIGXCPU\)/ },
    { signal: "SIGKILL", kind: "machine-failed", message: /from outside \(signal SIGKILL\)/ },
    { signal: "SIGTERM", kind: "machine-failed", message: /from outside \(signal SIGTERM\)/ },
  ])("[Q6] that dies of $signal is $kind, with the signal named", async ({ signal, kind, message }) => {
    const child = await startMediaChild(waiting);
    await child.ready;
    process.kill(child.pid ?? 0, signal);
    await expect(child.result).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it("[Q6] a child out of CPU time gets another signal than SIGKILL", async () => {
    const child = await startMediaChild(waiting);
    await child.ready;
    const limits = readFileSync(`/proc/${child.pid}/limits`, "utf8");
    child.kill();
    await expect(child.result).rejects.toMatchObject({ kind: "crashed" });
    expect(limits).toMatch(/^Max cpu time +14400 +14402 +seconds/m);
  });

  it("is killed when it makes no progress", async () => {
    const child = await startMediaChild({ ...waiting, watchStall: true, stallLimitMs: 1500 });
    await expect(child.result).rejects.toMatchObject({
      kind: "crashed",
      message: expect.stringMatching(/no progress/),
    });
  });

  it("dies with its parent", async () => {
    const program = `
      const { startMediaChild } = await import(${JSON.stringify(new URL("./start-media-child.ts", import.meta.url).href)});
      const options = { work: ${JSON.stringify(work)}, resultSchema: { safeParse: (data) => ({ data, success: true }) } };
      const child = await startMediaChild({ ...options, watchStall: false });
      await child.ready;
      process.stdout.write(String(child.pid));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [pid] = await once(parent.stdout, "data");
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    parent.kill("SIGKILL");
    for (let waitedMs = 0; existsSync(`/proc/${pid}`) && waitedMs < 5000; waitedMs += 50) await sleep(50);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});
