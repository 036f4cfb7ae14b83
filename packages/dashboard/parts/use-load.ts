import { AuthenticationError } from "@stemwright/sdk";
import { useCallback, useEffect, useState } from "preact/hooks";
import { me } from "../account/session.ts";

/** Data a page has loaded; the last value stays while a newer one loads. */
export type Load<Value> = {
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
  /** Replaces the value with a newer one, e.g. the response to a write. */
  change(change: (value: Value) => Value): void;
};

/**
 * Loads data, again when a dependency changes; outdated responses are dropped.
 *
 * @example
 * const models = useLoad((signal) => client.models.list({ signal }), []);
 * return <Loaded loaded={models}>{(list) => …}</Loaded>;
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Load<Value> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{ value: Value | undefined; error: unknown; isLoading: boolean }>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState((old) => ({ ...old, isLoading: true }));
    load(signal).then(
      (value) => {
        if (!signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        // The session ended meanwhile: the sign-in page takes over.
        if (error instanceof AuthenticationError) me.value = null;
        setState((old) => ({ ...old, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...dependencies, count]);
  const reload = useCallback(() => setCount((old) => old + 1), []);
  const change = useCallback(
    (apply: (value: Value) => Value) =>
      setState((old) => (old.value === undefined ? old : { ...old, value: apply(old.value) })),
    [],
  );
  return { ...state, reload, change };
}
