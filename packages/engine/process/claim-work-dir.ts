import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { findJson, replaceJson } from "../files/json-file.ts";

const ownerSchema = z.object({ pid: z.int(), startTicks: z.string() });
type Owner = z.infer<typeof ownerSchema>;

const POLL_MS = 10;

/**
 * Claims the work folder for a process. A process whose parent was killed notices only after its current segment, and would still append
 * that segment to the spools: it is killed first.
 */
export async function claimWorkDir(workDir: string, pid: number): Promise<void> {
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  const path = join(workDir, "owner.json");
  const owner = ownerSchema.safeParse(findJson(path)).data;
  if (owner !== undefined && owner.pid !== pid) await endOwner(owner);
  replaceJson(path, { pid, startTicks: findStartTicks(pid) ?? "" } satisfies Owner);
}

async function endOwner(owner: Owner): Promise<void> {
  // The pid may have been reused; together with the start time it is unique.
  while (owner.startTicks !== "" && findStartTicks(owner.pid) === owner.startTicks) {
    try {
      process.kill(owner.pid, "SIGKILL");
    } catch {
      return;
    }
    await wait(POLL_MS);
  }
}

/** A process's start time in kernel ticks; undefined if it has exited or there is no /proc. */
export function findStartTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may contain spaces; the state is the field after it, the start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
