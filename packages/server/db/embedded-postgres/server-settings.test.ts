import { expect, test } from "vitest";
import { findDynamicSharedMemoryType, makeServerSettings, toCommandLine } from "./server-settings.ts";

const LOCAL_SPEAKERS = { socketDir: "/run/pg", dynamicSharedMemoryType: "mmap" } as const;

test.each(["/no/such/folder", "/proc"])(
  "shared memory falls back to files where %s is all there is",
  async (dir) => {
    expect(await findDynamicSharedMemoryType(dir)).toBe("mmap");
  },
);

test("settings become -c arguments, and never open a TCP port or turn fsync off", () => {
  const args = toCommandLine(makeServerSettings({ ...LOCAL_SPEAKERS, workers: 1 }));
  expect(args.slice(0, 2)).toEqual(["-c", "listen_addresses="]);
  expect(args).toContain("fsync=on");
  expect(args).toContain("dynamic_shared_memory_type=mmap");
});

test.each([0, 1, 8, 64])("%i workers find connections, beside the API's", (workers) => {
  const { max_connections } = makeServerSettings({ ...LOCAL_SPEAKERS, workers });
  expect(Number(max_connections)).toBeGreaterThanOrEqual(40 + 5 * workers);
});
