import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Task } from "@stemwright/contract";

const PROJECT_DIR = join(import.meta.dirname, "..", "..");

export type Service = {
  address: string;
  output(): string;
  process: ChildProcess;
  call(path: string, init?: RequestInit): Promise<Response>;
  createTask(body: unknown): Promise<Task>;
  waitForTask(id: string, isDone?: (task: Task) => boolean): Promise<Task>;
  upload(content: Uint8Array<ArrayBuffer>, filename: string): Promise<{ id: string; link: string }>;
  stop(): Promise<void>;
};

export const SERVICE_KEY = "sw_EndToEndTestsUseThisKeyAndNothingElseDoes";

/** Starts the service like a user: with `npm start` by default, and its data in the given folder. */
export async function startService(options: {
  dataDir: string;
  command?: [string, ...string[]];
  environment?: Record<string, string>;
  /** Another checkout of the project. */
  projectDir?: string;
}): Promise<Service> {
  const [program, ...words] = options.command ?? ["npm", "start"];
  const child = spawn(program, words, {
    cwd: options.projectDir ?? PROJECT_DIR,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      DATA_DIR: options.dataDir,
      PORT: "0",
      BOOTSTRAP_API_KEY: SERVICE_KEY,
      RATE_LIMIT_PER_SECOND: "0",
      NODE_ENV: "",
      ...options.environment,
    },
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const address = await waitForAddress(child, () => output);
  const call: Service["call"] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("x-api-key")) headers.set("x-api-key", SERVICE_KEY);
    return fetch(new URL(path, address), { ...init, headers });
  };
  const service: Service = {
    address,
    output: () => output,
    process: child,
    call,
    async createTask(body) {
      const response = await call("/tasks", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      if (!response.ok) throw new Error(`POST /tasks: ${response.status} ${await response.text()}`);
      return (await response.json()) as Task;
    },
    async waitForTask(id, isDone = ({ completedAt }) => completedAt !== null) {
      for (;;) {
        const task = (await (await call(`/tasks/${id}`)).json()) as Task;
        if (isDone(task)) return task;
        await wait(200);
      }
    },
    async upload(content, filename) {
      const form = new FormData();
      form.append("file", new File([content], filename));
      const response = await call("/assets", { method: "POST", body: form });
      if (!response.ok) throw new Error(`POST /assets: ${response.status} ${await response.text()}`);
      return (await response.json()) as { id: string; link: string };
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      // Ctrl-C reaches the whole foreground process group.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
      await exited;
    },
  };
  return service;
}

async function waitForAddress(child: ChildProcess, output: () => string): Promise<string> {
  for (;;) {
    const address = /ready at (http:\S+)/.exec(output())?.[1];
    if (address !== undefined) return address;
    if (child.exitCode !== null) throw new Error(`the service ended before it was ready:\n${output()}`);
    await wait(50);
  }
}

/** The service's own process of a role, not the shell or npm that started it. */
export async function listServiceProcesses(
  dataDir: string,
  role: "all" | "api" | "worker",
): Promise<RunningProcess[]> {
  const isOne = new RegExp(`^\\S*node .*main\\.ts ${role}$`);
  return (await listProcesses(dataDir)).filter(({ commandLine }) => isOne.test(commandLine));
}

export type RunningProcess = { pid: number; commandLine: string };

/** Every process of an installation, recognised by its data folder in the command line or environment. */
export async function listProcesses(dataDir: string): Promise<RunningProcess[]> {
  const found: RunningProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const commandLine = (await readFile(`/proc/${name}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
      const environment = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
      if (Number(name) === process.pid || commandLine === "") continue;
      if (commandLine.includes(dataDir) || environment.includes(dataDir))
        found.push({ pid: Number(name), commandLine });
    } catch {
      // It exited meanwhile.
    }
  }
  return found;
}

/** Peak memory of a process. */
export async function readPeakMemoryBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
