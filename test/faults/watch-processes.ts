import { setTimeout as wait } from "node:timers/promises";
import type { Installation } from "./installation.ts";
import { listProcessTree, type Role, type ServiceProcess } from "./process-tree.ts";
import type { StormLog } from "./storm-log.ts";

const INTERVAL_MS = 300;
/** These run until they are stopped; the others come and go with the work. */
const LASTING: readonly (Role | undefined)[] = ["main", "api", "worker", "postmaster"];
/** On a full disk PostgreSQL gives up and is started again, and so is a service that can't start its PostgreSQL. */
const EXCUSED_ON_FULL_DISK: readonly (Role | undefined)[] = ["main", "postmaster"];

/** Records every lasting process that exits although neither it nor an ancestor was killed. */
export function watchProcesses(installation: Installation, log: StormLog) {
  const stopping = new AbortController();
  const known = new Map<number, ServiceProcess>();
  /** Killed, or recorded as exited: the end of their descendants is expected. */
  const dead = new Set<number>();

  const isBelowDead = ({ pid, parentPid }: ServiceProcess): boolean => {
    if (dead.has(pid) || dead.has(parentPid)) return true;
    const parent = known.get(parentPid);
    return parent !== undefined && isBelowDead(parent);
  };

  async function look(): Promise<void> {
    const tree = await listProcessTree(installation.listRootPids());
    if (stopping.signal.aborted) return;
    for (const { pid } of log.kills) dead.add(pid);
    const present = new Set(tree.map(({ pid }) => pid));
    // Parents before children, so that what a process took down is not counted again.
    for (const [pid, one] of known) {
      if (present.has(pid) || !LASTING.includes(one.role) || isBelowDead(one)) continue;
      dead.add(pid);
      if (installation.disk && EXCUSED_ON_FULL_DISK.includes(one.role)) continue;
      const lastKill = log.kills.at(-1);
      log.endedUnasked.push(`${one.role} ${pid}, after ${lastKill?.role} ${lastKill?.pid} was killed`);
      log.say(`the ${one.role} ${pid} ended although nobody killed it`);
    }
    for (const one of tree) if (!known.has(one.pid)) known.set(one.pid, one);
  }

  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await wait(INTERVAL_MS);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
