import { EngineError } from "../engine-error.ts";
import { EngineKilled } from "../engine-killed.ts";
import { GpuFailed } from "../gpu-failed.ts";
import { findShellSignal, isOutsideSignal } from "../outside-signal.ts";
import type { EngineFailure } from "./engine-message.ts";

/** An error the child reported itself, after which it waits for the next request. */
export class ReportedError extends Error {}

export function toError(failure: EngineFailure): Error {
  if (failure.isGpuFault) return new GpuFailed(failure.message);
  return failure.kind === undefined ? new Error(failure.message) : rebuildEngineError(failure);
}

export function rebuildEngineError(failure: EngineFailure): EngineError {
  return new EngineError(failure.kind ?? "network-failed", failure.message);
}

export function makeCancelledError(): EngineError {
  return new EngineError("cancelled", "The work was cancelled.");
}

/** Nothing of the request was done: it is the machine's fault, and the request is retried. */
export function makeStartError(code: number | null, signal: NodeJS.Signals | null): Error {
  if (isOutsideSignal(signal)) return makeDeathError(code, signal);
  return new Error(`The engine process could not be started (${signal ?? `exit code ${code}`}).`);
}

/** An outside signal says nothing about the work: it is retried and resumes after its spools. */
export function makeDeathError(code: number | null, exitSignal: NodeJS.Signals | null): Error {
  const signal = exitSignal ?? findShellSignal(code);
  const outside = `The engine process was ended from outside (signal ${signal})`;
  if (signal === "SIGKILL")
    return new EngineKilled(`${outside}, most likely because the machine ran out of memory.`);
  if (isOutsideSignal(signal)) return new Error(`${outside}.`);
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new EngineError("network-failed", `The engine process ended unexpectedly (${how}).`);
}
