import { type MeasureCommand, type MeasureMessage, performTrial } from "./gpu-trial.ts";

/** A driver may crash or hang the process that tries it, so the trial runs in a separate one. */
process.once("message", (command: MeasureCommand) => {
  performTrial(command).then(
    (measure) => send({ measure }),
    (error: unknown) => send({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

function send(message: MeasureMessage): void {
  process.send?.(message);
}
