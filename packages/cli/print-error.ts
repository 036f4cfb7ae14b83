import { CliError } from "./cli-error.ts";
import { EXIT_CODES, type ExitReason } from "./exit-codes.ts";

/** By name: the classes are in packages that are loaded only by the commands that need them. */
const REASONS: Record<string, ExitReason> = {
  AuthenticationError: "UNREACHABLE",
  PermissionError: "UNREACHABLE",
  ConnectionError: "UNREACHABLE",
  TimeoutError: "UNREACHABLE",
  BadRequestError: "USAGE",
  NotFoundError: "USAGE",
  CheckpointError: "FAILED",
  CheckpointRefused: "FAILED",
  EngineError: "FAILED",
  MediaError: "FAILED",
};
const ADVICE: Record<string, string> = {
  AuthenticationError: "Set STEMWRIGHT_API_KEY to a key of this service.",
  ConnectionError: "Is the service running, and --server (or STEMWRIGHT_BASE_URL) its address?",
  TimeoutError: "Is the service running, and --server (or STEMWRIGHT_BASE_URL) its address?",
};

export function toExitReason(error: unknown): ExitReason {
  if (error instanceof CliError) return error.reason;
  return (error instanceof Error ? REASONS[error.name] : undefined) ?? "FAILED";
}

/** Prints what went wrong in a sentence; returns the exit code. */
export function printError(error: unknown): number {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const isUnexpected = !(error instanceof CliError) && !(name in REASONS);
  const advice = ADVICE[name] === undefined ? "" : ` ${ADVICE[name]}`;
  process.stderr.write(`stemwright: ${message}${advice}\n`);
  if (isUnexpected && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return EXIT_CODES[toExitReason(error)].code;
}
