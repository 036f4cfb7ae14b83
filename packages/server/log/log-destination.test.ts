import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";

const MAKE_LOG = join(import.meta.dirname, "make-log.ts");
/** Over a megabyte; a pipe holds 64 KB. */
const LINES = 10_000;

/** A process that logs to a pipe that is not read yet. */
function startLogging(then: string) {
  const script = `
    const { makeLog } = await import(process.argv[1]);
    const log = makeLog({ logLevel: "info", logFile: undefined }, "api");
    for (let line = 0; line < ${LINES}; line += 1) log.info({ line }, "one of very many lines");
    ${then}
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script, MAKE_LOG], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

it("[S34] an unread pipe does not block the process, and loses no line that fits", async () => {
  const child = startLogging('process.stdout.write("done")');
  const [told] = await once(child.stdout, "data");
  expect(String(told)).toBe("done");
  const lines = (await text(child.stderr)).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: LINES }, (_, i) => i));
});

it("[S34] an unread pipe does not keep a process from exiting", async () => {
  const child = startLogging("process.exit(7)");
  expect(await once(child, "exit")).toEqual([7, null]);
});

it("[S34] a closed pipe does not crash the process", async () => {
  const child = startLogging(`
    for (let tick = 0; tick < 1000; tick += 1) {
      await new Promise(setImmediate);
      log.info("to nobody");
    }
    process.stdout.write("done");
  `);
  child.stderr.destroy();
  expect(await text(child.stdout)).toBe("done");
  expect(child.signalCode).toBeNull();
});
