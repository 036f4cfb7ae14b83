import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTone, toWav } from "../../test/support/audio.ts";
import { PROJECT_DIR } from "./build-packages.ts";
import { runCommand } from "./run-command.ts";

const READY_LIMIT_MS = 120_000;

/** Installs the tarballs into an empty folder and uses each package there. */
export async function tryPackages(tarballs: readonly string[], step: (title: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "stemwright-release-"));
  try {
    step("install into an empty folder");
    await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    await runCommand(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", ...tarballs], {
      cwd: folder,
    });
    await writeFile(
      join(folder, "song.wav"),
      toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 3 * 44_100 })),
    );
    step("importing @stemwright/server starts nothing");
    await runCommand([process.execPath, "--eval", 'import("@stemwright/server")'], { cwd: folder });
    step("the engine as a library");
    await cp(join(PROJECT_DIR, "examples/engine.ts"), join(folder, "engine.ts"));
    await runCommand([process.execPath, "engine.ts", "song.wav"], { cwd: folder });
    step("npx stemwright separate song.wav, without a service");
    await runCommand(["npx", "stemwright", "separate", "song.wav"], { cwd: folder });
    await Promise.all(["vocals", "instrumental"].map((stem) => access(join(folder, "song", `${stem}.wav`))));
    await tryService(folder, step);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryService(folder: string, step: (title: string) => void): Promise<void> {
  step("npx stemwright serve");
  const key = "sw_ReleaseCheckKeyThatNobodyElseUsesAnywhere";
  const service = spawn("npx", ["stemwright", "serve"], {
    cwd: folder,
    env: { ...process.env, DATA_DIR: join(folder, "data"), PORT: "0", BOOTSTRAP_API_KEY: key },
    stdio: ["ignore", "pipe", "ignore"],
    // A separate process group, which gets Ctrl-C as in a terminal: npx forwards no signals.
    detached: true,
  });
  const ended = once(service, "exit");
  try {
    const baseUrl = await findAddress(service);
    step("a Task through the SDK");
    await cp(join(PROJECT_DIR, "examples/separate.ts"), join(folder, "separate.ts"));
    const env = { ...process.env, STEMWRIGHT_BASE_URL: baseUrl, STEMWRIGHT_API_KEY: key };
    await runCommand([process.execPath, "separate.ts", "song.wav", "stems"], { cwd: folder, env });
  } finally {
    if (service.pid !== undefined) process.kill(-service.pid, "SIGINT");
    await ended;
  }
}

async function findAddress(service: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(READY_LIMIT_MS);
  let printed = "";
  for await (const text of service.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    signal.throwIfAborted();
    printed += text;
    const address = /ready at (http:\S+)/.exec(printed)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the service ended before it was ready:\n${printed}`);
}
