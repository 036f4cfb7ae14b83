import { printError } from "./print-error.ts";
import { makeProgram } from "./program.ts";

// The reader of the output may be gone (`| head`); that is not an error.
process.stdout.on("error", () => process.exit(0));

try {
  await makeProgram().parseAsync();
} catch (error) {
  process.exitCode = printError(error);
}
