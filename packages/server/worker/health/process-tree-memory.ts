import { readFile } from "node:fs/promises";

const readOrNothing = (path: string) => readFile(path, "utf8").catch(() => "");

/** Resident memory of a process and all below it: a worker's own is a fraction of what its engine takes. 0 off Linux. */
export async function readProcessTreeMemory(pid: number): Promise<number> {
  const status = await readOrNothing(`/proc/${pid}/status`);
  const ownBytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const children = (await readOrNothing(`/proc/${pid}/task/${pid}/children`)).split(" ").filter(Boolean);
  const below = await Promise.all(children.map((child) => readProcessTreeMemory(Number(child))));
  return below.reduce((sum, bytes) => sum + bytes, ownBytes);
}
