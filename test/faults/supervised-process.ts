import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

/** The delay of systemd with `Restart=always` and `RestartSec=500ms`. */
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

/** Keeps a command running like a service manager: restarts it whenever it exits, until stopped. */
export function superviseProcess(command: Command): SupervisedProcess {
  const log = createWriteStream(command.logPath, { flags: "a" });
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  // Stops with its supervisor: on SIGTERM it stops its own children.
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
