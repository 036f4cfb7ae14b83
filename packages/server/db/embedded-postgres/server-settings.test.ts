import { expect, test } from "vitest";
import { findDynamicSharedMemoryType, makeServerSettings, toCommandLine } from "./server-settings.ts";

test.each(["/no/such/folder", "/proc"])(
  "shared memory falls back to files where %s is all there is",
  async (dir) => {
    expect(await findDynamicSharedMemoryType(dir)).toBe("mmap");
  },
);

test("settings become -c arguments, and never open a TCP port or turn fsync off", () => {
  const args = toCommandLine(makeServerSettings({ socketDir: "/run/pg", dynamicSharedMemoryType: "mmap" }));
  expect(args.slice(0, 2)).toEqual(["-c", "listen_addresses="]);
  expect(args).toContain("fsync=on");
  expect(args).toContain("dynamic_shared_memory_type=mmap");
});
