import { EngineError } from "../engine-error.ts";

/** onnxruntime throws plain errors; only the text of the message shows that it ran out of memory. */
export function toNetworkError(error: unknown, what: string): EngineError {
  const message = error instanceof Error ? error.message : String(error);
  const isMemory = /bad_alloc|failed to allocate|out of memory/i.test(message);
  return new EngineError(isMemory ? "out-of-memory" : "network-failed", `${what}: ${message}`, {
    cause: error,
  });
}
