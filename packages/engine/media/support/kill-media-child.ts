import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Kills the next media child of this process, as a kernel short of memory would. */
export async function killMediaChild(): Promise<void> {
  for (;;) {
    const pids = readText(`/proc/${process.pid}/task/${process.pid}/children`).split(" ").filter(Boolean);
    const pid = pids.find((child) => readText(`/proc/${child}/cmdline`).includes("media-child.ts"));
    if (pid !== undefined) return void process.kill(Number(pid), "SIGKILL");
    await sleep(5);
  }
}

/** Nothing of a process that has just ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
