import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { describeSandbox } from "./describe-sandbox.ts";
import type { MediaRequest } from "./media-request.ts";
import { loadSandboxCommand, SANDBOX_ENVIRONMENT } from "./sandbox-command.ts";
import { startMediaChild } from "./start-media-child.ts";

const isRoot = process.getuid?.() === 0;
/** A child that waits for PCM until it is ended. */
const waiting: MediaRequest = {
  kind: "encode",
  sampleRateHz: 44100,
  channels: 1,
  channelLayout: "mono",
  files: [],
  tags: {},
};

/** Runs a program behind the same words as the media child and gives its exit code. */
async function runInSandbox(program: string): Promise<number | null> {
  const [command = "", ...args] = [...(await loadSandboxCommand()), process.execPath, "-e", program];
  const child = spawn(command, args, { stdio: "ignore", env: SANDBOX_ENVIRONMENT });
  const [code] = await once(child, "exit");
  return code;
}

function readStatus(pid: number | undefined, field: string): string | undefined {
  return readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`^${field}:[ \\t]*(.*)$`, "m"))?.[1];
}

describe("the sandbox", () => {
  it("tells the truth about the network", async () => {
    const server = createServer((socket) => socket.end());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const code = await runInSandbox(
      `require("node:net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(7))`,
    );
    server.close();
    const hasOwnNetwork = (await loadSandboxCommand()).includes("--net");
    expect(code).toBe(hasOwnNetwork ? 7 : 0);
    const description = await describeSandbox();
    expect(description.includes("network: none")).toBe(hasOwnNetwork);
  });

  it("runs as another user without rights when started by root, and never with more than it was started with", async () => {
    const child = await startMediaChild({ request: waiting, watchStall: false });
    await child.ready;
    const [realUid] = readStatus(child.pid, "Uid")?.split(/\s+/) ?? [];
    expect(realUid).toBe(isRoot ? "65534" : String(process.getuid?.()));
    expect(readStatus(child.pid, "Groups")?.trim()).toBe(
      isRoot ? "" : readStatus(process.pid, "Groups")?.trim(),
    );
    expect(readStatus(child.pid, "CapEff")).toMatch(/^0+$/);
    const canDropPrivileges = (await loadSandboxCommand()).includes("--no-new-privs");
    expect(readStatus(child.pid, "NoNewPrivs")).toBe(canDropPrivileges ? "1" : "0");
    child.kill();
    await expect(child.result).rejects.toMatchObject({ kind: "crashed" });
    expect((await describeSandbox()).includes("user: uid 65534, gid 65534")).toBe(isRoot);
  });

  it("ends a program that takes too much memory", async () => {
    const fill =
      "const kept = []; for (let i = 0; i < 48; i++) kept.push(Buffer.alloc(64 * 2 ** 20, 1)); process.exit(0)";
    const code = await runInSandbox(fill);
    const hasLimit = (await loadSandboxCommand()).includes("prlimit");
    expect(code === 0).toBe(!hasLimit);
  });

  it("passes on nothing of the environment", async () => {
    const names = [...Object.keys(SANDBOX_ENVIRONMENT)].sort();
    const program = `process.exit(Object.keys(process.env).sort().join() === ${JSON.stringify(names.join())} ? 0 : 9)`;
    expect(await runInSandbox(program)).toBe(0);
  });
});

describe("the life of a media child", () => {
  it.each([
    { signal: "SIGSEGV", kind: "crashed", message: /ended unexpectedly \(signal SIGSEGV\)/ },
    { signal: "SIGABRT", kind: "crashed", message: /ended unexpectedly \(signal SIGABRT\)/ },
    { signal: "SIGXCPU", kind: "crashed", message: /ended unexpectedly \(signal SIGXCPU\)/ },
    { signal: "SIGKILL", kind: "machine-failed", message: /from outside \(signal SIGKILL\)/ },
    { signal: "SIGTERM", kind: "machine-failed", message: /from outside \(signal SIGTERM\)/ },
  ])("[Q6] that dies of $signal is $kind, with the signal named", async ({ signal, kind, message }) => {
    const child = await startMediaChild({ request: waiting, watchStall: false });
    await child.ready;
    process.kill(child.pid ?? 0, signal);
    await expect(child.result).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it("[Q6] is told by another signal than SIGKILL that its processor time is over", async () => {
    const hasLimit = (await loadSandboxCommand()).includes("prlimit");
    const child = await startMediaChild({ request: waiting, watchStall: false });
    await child.ready;
    const limits = readFileSync(`/proc/${child.pid}/limits`, "utf8");
    child.kill();
    await expect(child.result).rejects.toMatchObject({ kind: "crashed" });
    expect(/^Max cpu time +14400 +14460 +seconds/m.test(limits)).toBe(hasLimit);
  });

  it("is ended when it makes no progress", async () => {
    const child = await startMediaChild({ request: waiting, watchStall: true, stallLimitMs: 1500 });
    await expect(child.result).rejects.toMatchObject({
      kind: "crashed",
      message: expect.stringMatching(/no progress/),
    });
  });

  it("ends with its parent", async () => {
    const program = `
      const { startMediaChild } = await import(${JSON.stringify(new URL("./start-media-child.ts", import.meta.url).href)});
      const child = await startMediaChild({ request: ${JSON.stringify(waiting)}, watchStall: false });
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
