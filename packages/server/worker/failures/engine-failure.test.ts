import { EngineError } from "@stemwright/engine";
import { expect, it } from "vitest";
import { findTargetFailure } from "./engine-failure.ts";

it.each([
  ["ENOSPC", 3002],
  ["EDQUOT", 3002],
  ["EACCES", undefined],
])("[O11] what the disk refuses with %s ends the target with %s", (code, expected) => {
  const error = Object.assign(new Error(`${code}: mkdir`), { code });
  expect(findTargetFailure(error)?.code).toBe(expected);
});

it("[O11] so does what the engine says of it, in its own words", () => {
  const failure = findTargetFailure(new EngineError("disk-full", "The disk is full."));
  expect(failure).toMatchObject({ code: 3002, message: "The disk is full." });
});
