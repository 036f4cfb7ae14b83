import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A separate process that starts the embedded PostgreSQL, so that it can be killed or run as another user. */
export type ChildService = {
  process: ChildProcess;
  /** The result of the start: connection data, or the error's code and message. */
  report: { connectionString: string; pid: number } | { code: string; message: string };
  end(signal: NodeJS.Signals): Promise<void>;
};

const EMBEDDED_POSTGRES = join(
  import.meta.dirname,
  "../../packages/server/db/embedded-postgres/embedded-postgres.ts",
);

const script = `
  const { startEmbeddedPostgres } = await import(process.argv[1]);
  try {
    const server = await startEmbeddedPostgres({ dataDir: process.argv[2] });
    process.on("SIGTERM", () => server.stop());
    process.on("SIGHUP", () => process.exit());
    console.log(JSON.stringify(server));
  } catch ({ code, message }) {
    console.log(JSON.stringify({ code, message }));
  }
`;

export async function startChildService(options: {
  dataDir: string;
  nodePath?: string;
  modulePath?: string;
  ids?: { uid: number; gid: number };
}): Promise<ChildService> {
  const modulePath = options.modulePath ?? EMBEDDED_POSTGRES;
  const args = ["--input-type=module", "--eval", script, modulePath, options.dataDir];
  const child = spawn(options.nodePath ?? process.execPath, args, {
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
    ...options.ids,
  });
  const ended = once(child, "close");
  const [line] = await Promise.race([once(child.stdout, "data"), ended]);
  return {
    process: child,
    report: JSON.parse(String(line)),
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
