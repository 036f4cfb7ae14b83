import { expect, it, onTestFinished } from "vitest";
import { EngineProcess } from "./engine-process.ts";

it.each([
  ["/nowhere/node", "ENOENT"],
  // Thrown synchronously, as when memory is exhausted.
  ["", "ERR_INVALID_ARG_VALUE"],
])(
  "[Q6] a process that can't be started (%j) fails the request, and not the next one",
  async (program, code) => {
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = program;
    const engine = new EngineProcess();
    const request = { inputPath: "/nowhere/input", workDir: "/nowhere/work", targets: [] };
    for (const _ of [1, 2]) await expect(engine.run(request)).rejects.toMatchObject({ code });
    await engine.close();
  },
);
