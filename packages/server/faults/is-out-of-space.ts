import { isDiskFull } from "@stemwright/engine";
import { listCauses } from "./list-causes.ts";

/** PostgreSQL's SQLSTATE, the supervisor of the embedded one if that can't run at all, our own store, and the engine's kind of error. */
const FULL_WORDS: unknown[] = ["53100", "disk_full", "STORAGE_FULL", "disk-full"];

function isFull(error: unknown): boolean {
  const { code, kind } = (error ?? {}) as { code?: unknown; kind?: unknown };
  return isDiskFull(error) || FULL_WORDS.includes(code) || FULL_WORDS.includes(kind);
}

/** Whether something failed because a disk is full, ours or the database's. */
export const isOutOfSpace = (error: unknown): boolean => [error, ...listCauses(error)].some(isFull);
