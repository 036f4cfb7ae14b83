import { useEffect, useRef } from "preact/hooks";

/** Calls again and again while the page can be seen; undefined pauses. */
export function useInterval(call: () => void, intervalMs: number | undefined): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    if (intervalMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
