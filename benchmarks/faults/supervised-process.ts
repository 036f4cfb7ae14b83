import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

/** As long as systemd leaves a service alone that is set to `Restart=always` and `RestartSec=500ms`. */
const RESTART_DELAY_MS = 500;
const STOP_TIMEOUT_MS = 30_000;

export type Command = {
  program: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  logPath: string;
  ids?: { uid: number; gid: number } | undefined;
  stopSignal?: NodeJS.Signals;
};

export type SupervisedProcess = {
  pid(): number | undefined;
  stop(): Promise<void>;
};

/** Keeps one command running as a service manager would: whenever it ends, it is started again, until it is stopped. */
export function superviseProcess(command: Command): SupervisedProcess {
  const log = createWriteStream(command.logPath, { flags: "a" });
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  // Ends with its supervisor: on a signal to end, it ends its own children.
  const endAlong = () => child?.kill("SIGTERM");
  process.once("exit", endAlong);

  function start(): void {
    child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      ...command.ids,
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.once("exit", (code, signal) => {
      child = undefined;
      if (isStopping) return;
      log.write(`--- ended with ${signal ?? code}; starting again\n`);
      timer = setTimeout(start, RESTART_DELAY_MS);
    });
  }
  start();

  return {
    pid: () => child?.pid,
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      process.off("exit", endAlong);
      const running = child;
      if (running?.pid === undefined) return;
      const exited = once(running, "exit");
      running.kill(command.stopSignal ?? "SIGTERM");
      const killer = setTimeout(() => running.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(killer);
      log.end();
    },
  };
}
