import { type Finding, toFindings } from "./finding.ts";
import type { ReadinessProbe } from "./readiness-probe.ts";
import type { StormLog, Unanswered } from "./storm-log.ts";

/** A killed API can't answer until it is ready again; at any other time it must. */
export function auditRequests(log: StormLog, probe: ReadinessProbe): Finding[] {
  const isExcused = ({ address, startedAtMs, endedAtMs }: Unanswered) =>
    log.kills
      .filter(({ role, atMs }) => (role === "main" || role === "api") && atMs < endedAtMs)
      .some(({ atMs }) => atMs > startedAtMs || !probe.wasReady(address, atMs, startedAtMs));
  const dropped = log.unanswered.filter((one) => !isExcused(one));
  return [
    ...toFindings("answersWrong", log.wrongAnswers),
    ...toFindings(
      "requestsDropped",
      dropped.map(({ request, reason }) => `${request}: ${reason}`),
    ),
    ...toFindings("endedUnasked", log.endedUnasked),
  ];
}
