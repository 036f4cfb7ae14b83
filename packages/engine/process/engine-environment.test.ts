import { expect, it } from "vitest";
import { makeEngineEnvironment } from "./engine-environment.ts";

it("has all of its parent's variables", () => {
  expect(makeEngineEnvironment({ PATH: "/bin", TMPDIR: "/scratch" })).toMatchObject({
    PATH: "/bin",
    TMPDIR: "/scratch",
  });
});

it("asks glibc for large pages, and lets the operator override it", () => {
  const alone = makeEngineEnvironment({}).GLIBC_TUNABLES;
  expect(alone?.split(":")).toContain("glibc.malloc.hugetlb=1");
  const { GLIBC_TUNABLES } = makeEngineEnvironment({ GLIBC_TUNABLES: "glibc.malloc.hugetlb=0" });
  expect(GLIBC_TUNABLES).toBe(`${alone}:glibc.malloc.hugetlb=0`);
});
