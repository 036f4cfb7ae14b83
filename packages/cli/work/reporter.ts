import { basename } from "node:path";

export type Progress = { fraction: number; secondsLeft?: number | undefined };

/** Reports progress: a bar on a terminal, plain lines elsewhere, JSON lines for programs. */
export interface Reporter {
  started(input: string): void;
  progress(input: string, progress: Progress): void;
  done(input: string, outputs: readonly string[]): void;
  skipped(input: string, outputs: readonly string[]): void;
  failed(input: string, message: string): void;
  note(message: string): void;
}

type Write = (text: string) => void;
const BAR_WIDTH = 24;
const PLAIN_STEPS = 10;
const CLEAR_LINE = "\r\u001b[2K";

export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes > 0 ? `${minutes} min ${String(whole % 60).padStart(2, "0")} s` : `${whole} s`;
}

const formatPercent = (fraction: number) => `${Math.round(fraction * 100)} %`.padStart(5);

export function formatBar({ fraction, secondsLeft }: Progress): string {
  const filled = Math.round(fraction * BAR_WIDTH);
  const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
  const left = secondsLeft === undefined ? "" : `  ${formatSeconds(secondsLeft)} left`;
  return `${bar} ${formatPercent(fraction)}${left}`;
}

/** Paths of outputs go to `out`, for pipes; all else to `err`. */
export function makeTerminalReporter(out: Write, err: Write): Reporter {
  const line = (text: string) => err(`${CLEAR_LINE}${text}\n`);
  const print = (outputs: readonly string[]) => {
    err(CLEAR_LINE);
    for (const path of outputs) out(`${path}\n`);
  };
  return {
    started: (input) => err(`${CLEAR_LINE}${basename(input)}  starting`),
    progress: (input, progress) => err(`${CLEAR_LINE}${basename(input)}  ${formatBar(progress)}`),
    done: (_, outputs) => print(outputs),
    skipped: (input, outputs) => {
      line(`${basename(input)}  done before (--force makes it again)`);
      print(outputs);
    },
    failed: (input, message) => line(`${basename(input)}  failed: ${message}`),
    note: line,
  };
}

export function makePlainReporter(out: Write, err: Write): Reporter {
  const reported = new Map<string, number>();
  const print = (outputs: readonly string[]) => {
    for (const path of outputs) out(`${path}\n`);
  };
  return {
    started: (input) => err(`${input}: starting\n`),
    progress(input, { fraction, secondsLeft }) {
      const step = Math.floor(fraction * PLAIN_STEPS + 1e-9);
      if (step <= (reported.get(input) ?? 0)) return;
      reported.set(input, step);
      const left = secondsLeft === undefined ? "" : `, ${formatSeconds(secondsLeft)} left`;
      err(`${input}: ${formatPercent(fraction).trim()}${left}\n`);
    },
    done: (_, outputs) => print(outputs),
    skipped(input, outputs) {
      err(`${input}: done before (--force makes it again)\n`);
      print(outputs);
    },
    failed: (input, message) => err(`${input}: failed: ${message}\n`),
    note: (message) => err(`${message}\n`),
  };
}

/** One object a line: `event`, `input` and what belongs to it. */
export function makeJsonReporter(out: Write, err: Write): Reporter {
  const tell = (event: string, input: string, fields: object = {}) =>
    out(`${JSON.stringify({ event, input, ...fields })}\n`);
  return {
    started: (input) => tell("started", input),
    progress: (input, progress) => tell("progress", input, progress),
    done: (input, outputs) => tell("done", input, { outputs }),
    skipped: (input, outputs) => tell("skipped", input, { outputs }),
    failed: (input, message) => tell("failed", input, { message }),
    note: (message) => err(`${message}\n`),
  };
}

export function makeReporter(options: { json: boolean; isContentOnStdout: boolean }): Reporter {
  const err: Write = (text) => process.stderr.write(text);
  const out: Write = options.isContentOnStdout ? () => {} : (text) => process.stdout.write(text);
  if (options.json) return makeJsonReporter(options.isContentOnStdout ? err : out, err);
  return process.stderr.isTTY ? makeTerminalReporter(out, err) : makePlainReporter(out, err);
}
