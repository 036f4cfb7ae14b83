import { expect, it, vi } from "vitest";
import { describeSandbox } from "./describe-sandbox.ts";

const killing = vi.hoisted(() => ({ isOn: false, started: 0 }));

/** Every other process is killed at once, as the kernel does when memory runs out. */
vi.mock("node:child_process", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:child_process")>();
  const spawn = (...args: Parameters<typeof original.spawn>) => {
    const child = original.spawn(...args);
    killing.started++;
    // `child.kill()` would pass for our own decision.
    if (killing.isOn && killing.started % 2 === 1 && child.pid) process.kill(child.pid, "SIGKILL");
    return child;
  };
  return { ...original, spawn };
});

it("finds every layer of the sandbox although the processes that look for them are killed [S6]", async () => {
  Object.assign(killing, { isOn: true, started: 0 });
  const disturbed = await describeSandbox();
  expect(killing.started).toBeGreaterThanOrEqual(2);
  killing.isOn = false;
  expect(disturbed).toEqual(await describeSandbox());
});
