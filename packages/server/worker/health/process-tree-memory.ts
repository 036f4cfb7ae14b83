import { readFile } from "node:fs/promises";

const readOrNothing = (path: string) => readFile(path, "utf8").catch(() => "");

/** Resident memory of a process and its descendants: the engine child uses most of a worker's. 0 on systems other than Linux. */
export async function readProcessTreeMemory(pid: number): Promise<number> {
  const status = await readOrNothing(`/proc/${pid}/status`);
  const ownBytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const children = (await readOrNothing(`/proc/${pid}/task/${pid}/children`)).split(" ").filter(Boolean);
  const below = await Promise.all(children.map((child) => readProcessTreeMemory(Number(child))));
  return below.reduce((sum, bytes) => sum + bytes, ownBytes);
}
