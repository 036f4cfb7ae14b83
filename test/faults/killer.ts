import { setTimeout as wait } from "node:timers/promises";
import type { Installation } from "./installation.ts";
import { listProcessTree, type Role, type ServiceProcess } from "./process-tree.ts";
import type { StormLog } from "./storm-log.ts";

const LOOK_INTERVAL_MS = 30;
/** How long to wait for a short-lived process; then the other roles go first. */
const VICTIM_WAIT_MS = 20_000;
/** By design the service gives a Task up after five attempts (Q3), so no Task is hit that often. */
const MAX_HITS = 3;

/** Processes whose death costs running Tasks an attempt. */
const HITTING: readonly Role[] = ["main", "worker", "engine", "media"];

export type Storm = { kills: number; durationMs: number; random: () => number };
export type RunningTasks = { listRunning(): readonly { hits: number }[] };

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Kills processes at random moments. Every role gets its turn before one gets a second; the seed decides which process of the role, and when. */
export async function killAtRandom(
  installation: Installation,
  storm: Storm,
  { tasks, log, signal }: { tasks: RunningTasks; log: StormLog; signal: AbortSignal },
): Promise<void> {
  const { random } = storm;
  const mayHit = () => tasks.listRunning().every(({ hits }) => hits < MAX_HITS);

  async function findVictim(role: Role): Promise<ServiceProcess | undefined> {
    for (const deadlineMs = performance.now() + VICTIM_WAIT_MS; performance.now() < deadlineMs; ) {
      if (signal.aborted) return undefined;
      const tree = await listProcessTree(installation.listRootPids());
      const found = tree.filter((one) => one.role === role);
      const isAllowed = !HITTING.includes(role) || mayHit();
      if (isAllowed && found.length > 0) return found[Math.floor(random() * found.length)];
      await wait(LOOK_INTERVAL_MS);
    }
    return undefined;
  }

  /** False if the process exited first. */
  function kill({ pid }: ServiceProcess, role: Role): boolean {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      return false;
    }
    log.kills.push({ atMs: performance.now(), role, pid });
    log.say(`kill ${log.kills.length}: ${role} ${pid}`);
    if (HITTING.includes(role)) for (const task of tasks.listRunning()) task.hits += 1;
    return true;
  }

  const meanGapMs = storm.durationMs / storm.kills;
  let bag: Role[] = [];
  for (let turns = 0; log.kills.length < storm.kills && turns < 2 * storm.kills; turns += 1) {
    if (bag.length === 0) bag = shuffle(installation.victims, random);
    await wait((0.3 + 1.4 * random()) * meanGapMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const role = bag.pop() ?? "main";
    const victim = await findVictim(role);
    if (victim && kill(victim, role)) continue;
    log.say(`no ${role} to kill yet`);
    bag.unshift(role);
  }
}
