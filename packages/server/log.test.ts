import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { makeLog } from "./log.ts";

describe("the log", () => {
  it("is a JSON object a line, added to what its file has", async () => {
    const logFile = join(await makeTempDir("log"), "below", "stemwright.log");
    makeLog({ logLevel: "info", logFile }, "api").info("one");
    makeLog({ logLevel: "info", logFile }, "worker").info("two");
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { role: "api", msg: "one" },
      { role: "worker", msg: "two" },
    ]);
  });

  it("[O11] goes on over a disk that is full", () => {
    const log = makeLog({ logLevel: "info", logFile: "/dev/full" }, "api");
    for (let line = 0; line < 1000; line += 1) log.info("nobody will read this");
  });
});
