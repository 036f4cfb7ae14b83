import { FAULTS, type Fault } from "./finding.ts";
import type { StormResult } from "./run-storm.ts";

const MAX_EXAMPLES = 8;
const TITLES = {
  embedded: "embedded: `npm start`",
  company: "company: PostgreSQL and S3 outside, two APIs, two workers",
} as const;

const countOf = ({ findings }: StormResult, fault: Fault) =>
  findings.filter((finding) => finding.fault === fault).length;

/** The counts of everything that must not happen, side by side. */
function formatCounts(results: readonly StormResult[]): string[] {
  return [
    `| | ${results.map(({ mode }) => mode).join(" | ")} |`,
    `|---|${results.map(() => "---|").join("")}`,
    ...Object.entries(FAULTS).map(
      ([fault, title]) =>
        `| ${title} | ${results.map((result) => countOf(result, fault as Fault)).join(" | ")} |`,
    ),
  ];
}

function formatFigures({ mode, figures, victims }: StormResult): string[] {
  const kills = victims.reduce((sum, one) => sum + one.kills, 0);
  return [
    "",
    `## ${TITLES[mode]}`,
    "",
    `${kills} kills over ${figures.tasks} Tasks with ${figures.targets} targets; ${figures.webhooks} webhooks received;`,
    `${figures.requests} requests answered, ${figures.unavailable} of them with 503.`,
    `Everything had settled ${figures.settleSeconds.toFixed(0)} s after the last kill.`,
    ...(figures.openUploads > 0
      ? [`${figures.openUploads} unfinished multipart uploads were left to the bucket's own rule.`]
      : []),
    "",
    "| killed | times | longest not ready, s | not ready in all, s |",
    "|---|---|---|---|",
    ...victims.map(
      (one) =>
        `| ${one.role} | ${one.kills} | ${one.longestSeconds.toFixed(1)} | ${one.totalSeconds.toFixed(1)} |`,
    ),
  ];
}

/** With a few examples of each. */
export function formatFindings({ mode, findings }: StormResult): string[] {
  const byFault = Map.groupBy(findings, ({ fault }) => fault);
  return [...byFault].flatMap(([fault, found]) => [
    "",
    `${mode}, ${FAULTS[fault]}: ${found.length}`,
    ...found.slice(0, MAX_EXAMPLES).map(({ detail }) => `- ${detail}`),
    ...(found.length > MAX_EXAMPLES ? [`- and ${found.length - MAX_EXAMPLES} more`] : []),
  ]);
}

export function formatReport(results: readonly StormResult[]): string[] {
  const found = results.flatMap(formatFindings);
  return [
    ...formatCounts(results),
    ...results.flatMap(formatFigures),
    ...(found.length > 0 ? ["", "## What was found", ...found] : []),
  ];
}
