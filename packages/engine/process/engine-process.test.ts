import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EngineProcess } from "./engine-process.ts";

it.each(["/nowhere/node", ""])(
  "[Q6] a process that can't be started (%j) fails the request, not its targets, and not the next one",
  async (program) => {
    const { execPath } = process;
    const folder = mkdtempSync(join(tmpdir(), "stemwright-start-"));
    onTestFinished(() => {
      process.execPath = execPath;
      rmSync(folder, { recursive: true });
    });
    process.execPath = program;
    const engine = new EngineProcess();
    const request = { inputPath: join(folder, "input"), workDir: join(folder, "work"), targets: [] };
    for (const _ of [1, 2]) {
      const running = engine.run(request);
      await expect(running).rejects.toThrow(/could not be started|ENOENT|ERR_INVALID_ARG_VALUE/);
      await expect(running).rejects.not.toMatchObject({ name: "EngineError" });
    }
    await engine.close();
  },
);
