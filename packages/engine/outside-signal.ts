/** Signals sent from outside: by the OOM killer, a service manager, a terminal. A process that crashes dies of another signal, or exits. */
const OUTSIDE_SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function isOutsideSignal(signal: string | null): boolean {
  return signal !== null && OUTSIDE_SIGNALS.includes(signal);
}
