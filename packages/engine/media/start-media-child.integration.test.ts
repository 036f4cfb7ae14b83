import { ChildProcess } from "node:child_process";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { startMediaChild } from "./start-media-child.ts";

vi.mock("../sandbox/sandbox-command.ts", () => ({
  loadSandboxCommand: async () => [],
  SANDBOX_ENVIRONMENT: {},
}));
vi.mock("node:child_process", async (importOriginal) => ({
  ...(await importOriginal<typeof import("node:child_process")>()),
  // Simulates Node out of file descriptors: a child without pipes, and an error event shortly afterwards.
  spawn: () => {
    const child = new ChildProcess();
    process.nextTick(() => child.emit("error", new Error("spawn EMFILE")));
    return child;
  },
}));

it("[Q6] a media process that can't be started is the machine's fault and crashes nothing else", async () => {
  const starting = startMediaChild({
    work: { kind: "describe" },
    resultSchema: z.unknown(),
    watchStall: false,
  });
  await expect(starting).rejects.toMatchObject({ kind: "machine-failed" });
  await new Promise(setImmediate);
});
