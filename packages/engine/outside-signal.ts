import { constants } from "node:os";

/** Signals sent from outside: by the OOM killer, a service manager, a terminal. A process that crashes dies of another signal, or exits. */
const OUTSIDE_SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function isOutsideSignal(signal: string | null): boolean {
  return signal !== null && OUTSIDE_SIGNALS.includes(signal);
}

/** bwrap stays the parent of what it starts, and reports its signal as shells do (128 + n). */
export function findShellSignal(code: number | null): NodeJS.Signals | null {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, number]) => code === 128 + number)?.[0] ?? null;
}
