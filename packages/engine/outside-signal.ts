/** What others send to end a process: the kernel short of memory, a service manager, a terminal. Who fails of itself dies of another signal, or exits. */
const OUTSIDE_SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

export function isOutsideSignal(signal: string | null): boolean {
  return signal !== null && OUTSIDE_SIGNALS.includes(signal);
}
