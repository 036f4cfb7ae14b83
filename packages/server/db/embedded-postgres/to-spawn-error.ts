import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

const advice = new Map([
  // The file is there (it was checked by size): what is missing is the loader it names.
  ["ENOENT", "this system lacks the GNU C library (glibc) the program needs"],
  ["EACCES", "its folder may lie on a disk mounted noexec; set DATA_DIR to a folder on another one"],
  ["EPERM", "this container does not let root switch to another user; start the service as an ordinary user"],
  [
    "EINVAL",
    "this container does not know the user id PostgreSQL is to run under; start as an ordinary user",
  ],
]);

export function toSpawnError(error: Error, program: string): EmbeddedPostgresError {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const cause = advice.get(code) ?? error.message;
  return new EmbeddedPostgresError(
    "start_failed",
    `${program} cannot be run: ${cause}. Or set DATABASE_URL to a PostgreSQL server. (${error.message})`,
    { cause: error },
  );
}
