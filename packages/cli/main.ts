import { makeProgram } from "./program.ts";
import { reportError } from "./report-error.ts";

// Whoever read what is printed may be gone (`| head`); that is no error of ours.
process.stdout.on("error", () => process.exit(0));

try {
  await makeProgram().parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
}
