import type { Target, TaskListItem } from "@stemwright/sdk";
import { formatEta } from "../parts/format.ts";

/** The error code of cancelled targets. */
const CANCELLED = 4001;

export type StateTone = "good" | "busy" | "bad" | "quiet";
export type TaskState = {
  tone: StateTone;
  /** `Done`, `2 of 4 failed`, `3rd in line`. */
  text: string;
  isFinished: boolean;
  /** From 0 to 1, over all targets. */
  progress: number;
};

export const isCancelled = ({ error }: Target) => error?.code === CANCELLED;

const toOrdinal = (place: number) => {
  const suffixes: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
  return `${place}${suffixes[new Intl.PluralRules("en", { type: "ordinal" }).select(place)]}`;
};

/** Queue position, or progress and ETA. */
function describeUnfinished({ queuePosition = 0, progress = 0, etaSeconds }: Target): string {
  if (queuePosition === 1) return "Next in line";
  if (queuePosition > 1) return `${toOrdinal(queuePosition)} in line`;
  const percent = `${Math.floor(progress * 100)} %`;
  return etaSeconds === undefined ? percent : `${percent}, ${formatEta(etaSeconds)} left`;
}

export function describeTarget(target: Target): { tone: StateTone; text: string } {
  if (target.status === "completed") return { tone: "good", text: "Done" };
  if (target.status === "error")
    return isCancelled(target) ? { tone: "quiet", text: "Cancelled" } : { tone: "bad", text: "Failed" };
  return { tone: "busy", text: describeUnfinished(target) };
}

function describeFinished(targets: readonly Target[]): Pick<TaskState, "tone" | "text"> {
  const failed = targets.filter((target) => target.status === "error" && !isCancelled(target)).length;
  const cancelled = targets.filter(isCancelled).length;
  if (failed > 0)
    return {
      tone: "bad",
      text: failed === targets.length ? "Failed" : `${failed} of ${targets.length} failed`,
    };
  if (cancelled > 0)
    return {
      tone: "quiet",
      text: cancelled === targets.length ? "Cancelled" : `${cancelled} of ${targets.length} cancelled`,
    };
  return { tone: "good", text: "Done" };
}

/** Finished, with at least one target failed or cancelled. */
export const hasFailed = ({ targets, completedAt }: TaskListItem) =>
  completedAt !== null && targets.some(({ status }) => status === "error");

/** The state of a Task, derived from its targets. */
export function describeTask({ targets, completedAt }: TaskListItem): TaskState {
  const done = targets.map(({ status, progress = 0 }) => (status === "processing" ? progress : 1));
  const progress = done.reduce((sum, each) => sum + each, 0) / Math.max(1, done.length);
  if (completedAt !== null) return { ...describeFinished(targets), isFinished: true, progress: 1 };
  const unfinished = targets.filter(({ status }) => status === "processing");
  // The Task is done when its slowest target is.
  const [last] = unfinished.toSorted((a, b) => (b.etaSeconds ?? 0) - (a.etaSeconds ?? 0));
  const text = last ? describeUnfinished({ ...last, progress }) : "Finishing";
  return { tone: "busy", text, isFinished: false, progress };
}
