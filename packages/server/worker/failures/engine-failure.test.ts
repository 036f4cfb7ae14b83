import { EngineError } from "@stemwright/engine";
import { expect, it } from "vitest";
import { findTargetFailure } from "./engine-failure.ts";

it("[Q21] a full disk is no failure of a target, whoever reports it", () => {
  const refused = Object.assign(new Error("ENOSPC: mkdir"), { code: "ENOSPC" });
  expect(findTargetFailure(refused)).toBeUndefined();
  expect(findTargetFailure(new EngineError("disk-full", "The disk is full."))).toBeUndefined();
});

it("[T7] a failure of the engine is one of the target, in the engine's words", () => {
  const failure = findTargetFailure(new EngineError("encode-failed", "no such encoder"));
  expect(failure).toMatchObject({ code: 3003, message: "no such encoder" });
});
