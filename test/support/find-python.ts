import { spawnSync } from "node:child_process";

/** A Python that runs these lines without an error; Debian's before others in the PATH. */
export const findPython = (check: string): string | undefined =>
  ["/usr/bin/python3", "python3"].find((program) => spawnSync(program, ["-c", check]).status === 0);
