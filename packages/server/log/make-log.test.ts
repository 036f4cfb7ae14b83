import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { makeLog } from "./make-log.ts";

describe("the log", () => {
  it("is one JSON object per line, appended to the file", async () => {
    const logFile = join(await makeTempDir("log"), "below", "stemwright.log");
    makeLog({ logLevel: "info", logFile }, "api").info("one");
    makeLog({ logLevel: "info", logFile }, "worker").info("two");
    const readRecords = () =>
      readFileSync(logFile, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    await expect.poll(() => readRecords().length).toBe(2);
    expect(readRecords().sort((a, b) => a.role.localeCompare(b.role))).toMatchObject([
      { role: "api", msg: "one" },
      { role: "worker", msg: "two" },
    ]);
  });

  it("[G9] records an error's message and stack, and none of its other properties", () => {
    const lines: string[] = [];
    const log = makeLog({ logLevel: "info", logFile: undefined }, "api", {
      write: (line) => void lines.push(line),
    });
    const client = { secretKey: 4711, connectionParameters: { user: "someone" } };
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", client });
    const broken = Object.assign(
      new Error("broken", { cause: new AggregateError([refused], "all failed") }),
      {
        code: "57P01",
        client,
      },
    );
    log.error({ err: broken }, "failed");
    log.error(broken);
    log.error({ err: "a word" }, "failed");
    expect(lines.map((line) => JSON.parse(line).err)).toEqual([
      ...[1, 2].map(() => ({
        type: "Error",
        message: "broken",
        code: "57P01",
        stack: broken.stack,
        cause: {
          type: "AggregateError",
          message: "all failed",
          stack: expect.any(String),
          cause: { type: "Error", message: refused.message, code: "ECONNREFUSED", stack: refused.stack },
        },
      })),
      { type: "string", message: "a word" },
    ]);
    expect(lines.join("")).not.toMatch(/4711|someone/);
  });

  it("[G9] handles an error that is its own cause", () => {
    const lines: string[] = [];
    const error = new Error("round");
    error.cause = error;
    makeLog({ logLevel: "info", logFile: undefined }, "api", {
      write: (line) => void lines.push(line),
    }).error(error);
    expect(lines).toHaveLength(1);
  });

  it("[O11] survives a full disk", () => {
    const log = makeLog({ logLevel: "info", logFile: "/dev/full" }, "api");
    for (let line = 0; line < 1000; line += 1) log.info("nobody will read this");
  });
});
