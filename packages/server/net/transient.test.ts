import { describe, expect, it } from "vitest";
import { HostNotPublic } from "./address-guard.ts";
import { findRetryAfterMs, isTransientFailure, isTransientStatus } from "./transient.ts";

describe("transient failures", () => {
  it.each([
    [500, true],
    [502, true],
    [503, true],
    [429, true],
    [408, true],
    [400, false],
    [403, false],
    [404, false],
    [301, false],
  ])("[T16] the answer %i: %s", (status, is) => {
    expect(isTransientStatus(status)).toBe(is);
  });

  it.each([
    ["ECONNRESET", true],
    ["UND_ERR_HEADERS_TIMEOUT", true],
    ["EAI_AGAIN", true],
    ["ENOTFOUND", false],
    ["CERT_HAS_EXPIRED", false],
    ["ENOSPC", false],
  ])("[T16] a connection that fails with %s: %s", (code, is) => {
    const cause = Object.assign(new Error("below"), { code });
    expect(isTransientFailure(new Error("above", { cause }))).toBe(is);
  });

  it.each([true, false])(
    "[T16] [U3] a name that whoever was asked for it may know in a moment: %s",
    (isTransient) => {
      const cause = new HostNotPublic("media.example", { isTransient });
      expect(isTransientFailure(new Error("above", { cause }))).toBe(isTransient);
    },
  );

  it("[T16] Retry-After is read in seconds and as a date", () => {
    expect(findRetryAfterMs("7")).toBe(7000);
    expect(findRetryAfterMs("Thu, 01 Jan 1970 00:01:00 GMT", 50_000)).toBe(10_000);
    expect(findRetryAfterMs("Thu, 01 Jan 1970 00:00:00 GMT", 50_000)).toBe(0);
    expect(findRetryAfterMs("soon")).toBeUndefined();
    expect(findRetryAfterMs(undefined)).toBeUndefined();
  });
});
