import { execFile } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listProcesses, listServiceProcesses, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const shell = (command: string) => promisify(execFile)("sh", ["-c", command]);

describe("start and stop", () => {
  let dataDir: string;
  let service: Service;
  let key = "";
  beforeAll(async () => {
    dataDir = await makeTempDir("first");
  });
  afterAll(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const signIn = (token: string | undefined) =>
    fetch(new URL("/account/sign-in/link", service.address), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });

  it("[K3] the first start prints the address, a new key, and a curl line that works as pasted", async () => {
    service = await startService({ dataDir, environment: { BOOTSTRAP_API_KEY: "" } });
    await expect.poll(service.output).toContain("Stop with Ctrl-C");
    key = /shown this once:\s+(sw_[0-9A-Za-z]{40})/.exec(service.output())?.[1] ?? "";
    const line = /^ +(curl .*)$/m.exec(service.output())?.[1] ?? "";
    expect(line).toContain(key);
    expect((await shell(`${line} --silent`)).stdout).toBe("[]");
  });

  it("[PE2] it prints a link that signs the owner in, once", async () => {
    const [, base, token] = /^ +(http:\S+)\/app\/sign-in#([\w-]{43})$/m.exec(service.output()) ?? [];
    expect(base).toBe(service.address);
    const first = await signIn(token);
    expect(await first.json()).toMatchObject({
      person: { role: "owner", isAdministrator: true },
      needsPassword: true,
    });
    expect((await signIn(token)).status).toBe(403);
  });

  it("[S2] Ctrl-C stops every process within seconds", async () => {
    const startMs = Date.now();
    await service.stop();
    expect(Date.now() - startMs).toBeLessThan(15_000);
    expect(await listProcesses(dataDir)).toEqual([]);
  });

  it("[S2] [K3] the second start finds everything and creates no new key", async () => {
    service = await startService({ dataDir, environment: { BOOTSTRAP_API_KEY: "" } });
    expect(service.output()).not.toContain("shown this once");
    expect((await service.call("/tasks", { headers: { "x-api-key": key } })).status).toBe(200);
  });

  it("[K3] [PE2] keys and sign-in links can be created on the machine while the service runs", async () => {
    const run = (command: string) =>
      shell(`cd ${JSON.stringify(process.cwd())} && DATA_DIR=${dataDir} npm run --silent ${command}`);
    const made = (await run("keys -- create --name second")).stdout;
    const second = /sw_[0-9A-Za-z]{40}/.exec(made)?.[0] ?? "";
    expect((await service.call("/tasks", { headers: { "x-api-key": second } })).status).toBe(200);
    const token = /sign-in#(\S+)/.exec((await run("sign-in")).stdout)?.[1] ?? "";
    expect((await signIn(token)).status).toBe(200);
  });

  it("[S2] a signal to npm alone, as sent by a script, stops every process as well", async () => {
    const exited = once(service.process, "exit");
    service.process.kill("SIGTERM");
    await exited;
    expect(await listProcesses(dataDir)).toEqual([]);
    service = await startService({ dataDir, environment: { BOOTSTRAP_API_KEY: "" } });
  });

  it("[S2] the next start cleans up after a killed service", async () => {
    const own = await listServiceProcesses(dataDir, "all");
    for (const { pid } of own) process.kill(pid, "SIGKILL");
    service = await startService({ dataDir, environment: { BOOTSTRAP_API_KEY: "" } });
    expect((await service.call("/tasks", { headers: { "x-api-key": key } })).status).toBe(200);
    // The killed service's worker notices that its parent is gone and exits.
    await expect
      .poll(async () => (await listServiceProcesses(dataDir, "worker")).length, { timeout: 20_000 })
      .toBe(1);
    await service.stop();
    await wait(100);
    expect(await listProcesses(dataDir)).toEqual([]);
  });
});

describe("a port that is taken", () => {
  it("[S1] is reported in a sentence, and the first key is not lost", async () => {
    const dataDir = await makeTempDir("taken");
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const environment = { PORT: String((other.address() as AddressInfo).port), BOOTSTRAP_API_KEY: "" };
    await expect(startService({ dataDir, environment })).rejects.toThrow(
      /is taken by another program; set PORT/,
    );
    other.close();
    const service = await startService({ dataDir, environment });
    await expect.poll(service.output).toContain("shown this once");
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

describe("settings", () => {
  it("[S1] all mistakes are reported together, and nothing starts", async () => {
    const dataDir = await makeTempDir("wrong");
    const start = startService({
      dataDir,
      environment: { PORT: "many", WORKERS: "-1", LOG_LEVEL: "loud", BOOTSTRAP_API_KEY: "short" },
    });
    await expect(start).rejects.toThrow(
      /PORT is "many"[\s\S]*BOOTSTRAP_API_KEY is \(not shown\)[\s\S]*WORKERS is "-1"[\s\S]*LOG_LEVEL is "loud"/,
    );
    await rm(dataDir, { recursive: true, force: true });
  });
});
