import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Kills the next media child of this process, like the OOM killer. */
export async function killMediaChild(): Promise<void> {
  for (;;) {
    const pids = readText(`/proc/${process.pid}/task/${process.pid}/children`).split(" ").filter(Boolean);
    const pid = pids.find((child) => readText(`/proc/${child}/cmdline`).includes("media-child.ts"));
    if (pid !== undefined) return void process.kill(Number(pid), "SIGKILL");
    await sleep(5);
  }
}

/** Empty for a process that has just exited. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
