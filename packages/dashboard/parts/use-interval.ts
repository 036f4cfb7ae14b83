import { useEffect, useRef } from "preact/hooks";

/** Calls repeatedly while the page is visible; undefined pauses. */
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
