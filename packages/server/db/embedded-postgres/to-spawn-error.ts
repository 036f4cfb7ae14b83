import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

const advice = new Map([
  // The file exists (its size was checked): the loader it names is missing.
  ["ENOENT", "this system lacks the GNU C library (glibc) the program needs"],
  ["EACCES", "its folder may lie on a disk mounted noexec; set DATA_DIR to a folder on another one"],
  ["EPERM", "this container does not let root switch to another user; start the service as an ordinary user"],
  [
    "EINVAL",
    "this container does not know the user id PostgreSQL is to run under; start as an ordinary user",
  ],
]);

/** Handles both what `spawn` throws and what the child emits; which of the two occurs depends on the code. */
export function toSpawnError(error: unknown, program: string): EmbeddedPostgresError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const cause = advice.get(code) ?? message;
  return new EmbeddedPostgresError(
    "start_failed",
    `${program} cannot be run: ${cause}. Or set DATABASE_URL to a PostgreSQL server. (${message})`,
    { cause: error },
  );
}
