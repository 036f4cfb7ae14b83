import { readdir, readFile } from "node:fs/promises";

/** Kernel clock ticks per second, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** The fields of /proc/<pid>/stat after the name, which may contain spaces: [state, parent, …]. */
async function readStat(pid: number | string): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

/** CPU time of a process and its children, including those that exited. */
export async function readCpuMs(pid: number): Promise<number> {
  let ticks = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const [, parent, ...fields] = await readStat(name);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(9, 13);
    if (Number(name) === pid) ticks += user + system + childrenUser + childrenSystem;
    else if (parent === pid) ticks += user + system;
  }
  return (ticks / TICKS_PER_SECOND) * 1000;
}

/** Current and peak memory of a process. */
export async function readMemory(pid: number): Promise<{ presentMb: number; peakMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const megabytes = (field: string) =>
    Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024);
  return { presentMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}
