// `npm run bench cli`: time until `stemwright separate song.mp3` prints something, on a terminal and without one.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTone, toWav } from "../test/support/audio.ts";
import { describeRun } from "./machine.ts";

const PROGRAM = join(import.meta.dirname, "../packages/cli/stemwright.mjs");
const RUNS = 9;
const LIMIT_MS = 1000;

const about = describeRun();
const folder = await mkdtemp(join(tmpdir(), "stemwright-bench-cli-"));
await writeFile(
  join(folder, "song.wav"),
  toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 30 * 44_100 })),
);
const command = `${process.execPath} ${PROGRAM} separate song.wav`;
/** `script` runs the command on a terminal. */
const COMMANDS: Record<string, readonly [string, ...string[]]> = {
  "on a terminal": ["script", "--quiet", "--return", "--command", command, "/dev/null"],
  "without a terminal": ["sh", "-c", `exec ${command}`],
};

/** The time to the first byte printed; the command is then killed. */
async function measureFirstSign([program, ...args]: readonly [string, ...string[]]): Promise<number> {
  const startMs = performance.now();
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, ".cache"), TERM: "xterm" };
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  await Promise.race([child.stdout, child.stderr].map((stream) => once(stream, "data")));
  const elapsedMs = performance.now() - startMs;
  await end(child);
  return elapsedMs;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}

const rows: string[] = [];
for (const [place, words] of Object.entries(COMMANDS)) {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await measureFirstSign(words));
  times.sort((a, b) => a - b);
  const show = (index: number) => `${(times[index] ?? 0).toFixed(0)} ms`;
  rows.push(`| ${place} | ${show(0)} | ${show((RUNS - 1) / 2)} | ${show(RUNS - 1)} |`);
}
await rm(folder, { recursive: true, force: true });

const text = `# The first sign of progress

${about.join("\n")}

\`stemwright separate song.wav\` with the local engine, from the start of the process until the first thing it prints; ${RUNS} runs each, goal ${LIMIT_MS} ms.
\`npm run bench cli\` measures again.

| | least | median | most |
|---|---|---|---|
${rows.join("\n")}
`;
await writeFile(join(import.meta.dirname, "results/cli.md"), text);
process.stdout.write(text);
