import { spawn } from "node:child_process";
import { join } from "node:path";
import { listServiceProcesses } from "../test/support/service.ts";

const PROJECT_DIR = join(import.meta.dirname, "..");
export const BENCH_KEY = "sw_BenchmarksUseThisKeyAndNothingElseDoes";

/** The API in a separate process, as `npm run api` starts it, without rate limits. */
export async function startApiProcess(
  dataDir: string,
  databaseUrl: string,
  environment: Record<string, string> = {},
) {
  const child = spawn("npm", ["run", "--silent", "api"], {
    cwd: PROJECT_DIR,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      PORT: "0",
      BOOTSTRAP_API_KEY: BENCH_KEY,
      RATE_LIMIT_PER_SECOND: "0",
      LOG_LEVEL: "warn",
      ...environment,
    },
  });
  const address = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const found = /ready at (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`the API ended:\n${output}`)));
  });
  const [api] = await listServiceProcesses(dataDir, "api");
  return {
    address,
    pid: api?.pid ?? 0,
    async stop() {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await exited;
    },
  };
}
