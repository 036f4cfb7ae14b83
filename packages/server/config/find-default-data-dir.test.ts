import { expect, test } from "vitest";
import { findDefaultDataDir } from "./find-default-data-dir.ts";

test("root's data lives in /var/lib, whatever XDG says", () => {
  const dir = findDefaultDataDir({ isRoot: true, xdgDataHome: "/xdg", homeDir: "/root" });
  expect(dir).toBe("/var/lib/stemwright");
});

test("a user's data lives in the XDG data folder, or where that is by default", () => {
  const homeDir = "/home/ada";
  expect(findDefaultDataDir({ isRoot: false, xdgDataHome: "/xdg", homeDir })).toBe("/xdg/stemwright");
  expect(findDefaultDataDir({ isRoot: false, homeDir })).toBe("/home/ada/.local/share/stemwright");
});

test.each(["", "relative/path"])("XDG_DATA_HOME=%j is invalid and ignored", (xdgDataHome) => {
  const dir = findDefaultDataDir({ isRoot: false, xdgDataHome, homeDir: "/home/ada" });
  expect(dir).toBe("/home/ada/.local/share/stemwright");
});
