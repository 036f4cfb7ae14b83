import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/postgres.ts"],
    // Networks and databases share two cores: one file at a time keeps timings and memory honest.
    maxWorkers: 1,
    // A segment of the network takes five seconds on two quiet cores, and many times that on busy ones.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
