import type { Role } from "./process-tree.ts";
import type { Outage } from "./readiness-probe.ts";
import type { Kill } from "./storm-log.ts";

export type VictimFigures = { role: Role; kills: number; longestSeconds: number; totalSeconds: number };

/** A probe in progress during the kill counts as down from its start. */
const TOLERANCE_MS = 2500;

/** Downtime after kills, by role. An outage is attributed to the kill it started with. */
export function sumOutages(
  kills: readonly Kill[],
  outages: readonly Outage[],
  sinceMs: number,
): VictimFigures[] {
  const figures = new Map<Role, VictimFigures>();
  for (const { role } of kills) {
    const one = figures.get(role) ?? { role, kills: 0, longestSeconds: 0, totalSeconds: 0 };
    one.kills += 1;
    figures.set(role, one);
  }
  for (const { fromMs, toMs } of outages.filter((outage) => outage.toMs > sinceMs)) {
    const cause = kills.findLast(({ atMs }) => atMs <= Math.min(fromMs + TOLERANCE_MS, toMs));
    const one = cause && figures.get(cause.role);
    if (!cause || !one) continue;
    const seconds = (toMs - Math.max(fromMs, cause.atMs)) / 1000;
    one.totalSeconds += seconds;
    one.longestSeconds = Math.max(one.longestSeconds, seconds);
  }
  return [...figures.values()];
}
