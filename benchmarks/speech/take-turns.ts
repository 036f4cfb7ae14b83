import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export type TurnProgram = {
  /** Script and arguments for Node. */
  args: readonly string[];
  /** Length of its turns: about its share of the total time, so that all programs finish at about the same time. */
  turnSeconds: number;
};

type Running = { program: TurnProgram; child: ChildProcess; ended: Promise<unknown>; wallSeconds: number };

/**
 * Runs programs in turns, with all but one stopped, so that a slow period of the machine affects all of them. Returns the seconds each was running,
 * including the start of its process.
 */
export async function takeTurns(programs: readonly TurnProgram[]): Promise<number[]> {
  const all = programs.map((program): Running => {
    const child = spawn(process.execPath, program.args, { stdio: "inherit" });
    child.kill("SIGSTOP");
    return { program, child, ended: once(child, "exit"), wallSeconds: 0 };
  });
  try {
    while (all.some(isRunning)) for (const running of all.filter(isRunning)) await takeTurn(running);
  } finally {
    for (const { child } of all) child.kill("SIGKILL");
  }
  return all.map(({ wallSeconds }) => wallSeconds);
}

async function takeTurn(running: Running): Promise<void> {
  const { program, child, ended } = running;
  const started = performance.now();
  child.kill("SIGCONT");
  const clock = new AbortController();
  const turn = wait(program.turnSeconds * 1000, undefined, { signal: clock.signal }).catch(() => undefined);
  await Promise.race([ended, turn]);
  clock.abort();
  running.wallSeconds += (performance.now() - started) / 1000;
  if (isRunning(running)) child.kill("SIGSTOP");
  else if (child.exitCode !== 0) throw new Error(`${program.args[0]} exited with ${child.exitCode}`);
}

function isRunning({ child }: Running): boolean {
  return child.exitCode === null && child.signalCode === null;
}
