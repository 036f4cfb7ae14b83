import { defineConfig } from "vitest/config";

/** Check time, memory or processes against a limit: one file at a time, and nothing else meanwhile. */
const MEASURING = [
  "packages/engine/media/sandbox.integration.test.ts",
  "packages/engine/process/engine-process.integration.test.ts",
  "packages/sdk/transfer-memory.test.ts",
  "packages/engine/text/{lay-out-cues,match-words}.test.ts",
  "packages/server/db/connection/database-probe.integration.test.ts",
  "packages/server/db/embedded-postgres/*.integration.test.ts",
  "packages/server/deliveries/deliveries.integration.test.ts",
  "packages/server/http/{hardening,requests}.integration.test.ts",
  "packages/server/http/routes/tasks/{task-cancel,task-events}.integration.test.ts",
  "test/e2e/{newcomer,upload-memory}.test.ts",
];
/** Minutes of killed processes, restarted services and long waits: `npm run test:faults` runs them. */
const FAULTS = [
  "packages/engine/process/{dead-graph-thread,gpu-fault,spans-of-networks}.integration.test.ts",
  "packages/engine/separation/spans/spans.integration.test.ts",
  "packages/server/start/{start,work-while-schema-fits}.integration.test.ts",
  "packages/server/compat/waiting.integration.test.ts",
  "packages/server/http/limits/fair-shares.integration.test.ts",
  "packages/server/worker/{drain,full-disk,idle-worker,outage,takeover}.integration.test.ts",
  "packages/server/worker/spans/{killed-helper,span-workers}.integration.test.ts",
  "test/e2e/{backup,data-folder,database-outage,dead-graph-thread,faults,full-disk-storm,media-sandbox}.test.ts",
  "test/e2e/{killed-upload,pgbouncer,rolling-upgrade,silent-database,spans,voices}.test.ts",
];
/** Minutes of walking through the pages in a browser: `npm run test:pages`. That the pages open is among the other tests. */
const PAGES = [
  "test/browser/{default-mix,every-page,lan,mixer,playground,seek,settings,timeline,words}.test.ts",
];
/** Linters, generators, runtimes and third-party clients, with separate packages: `npm run test:clients`. */
const CLIENTS = ["test/clients/*.test.ts"];
const INTEGRATION = ["packages/**/*.integration.test.ts", "test/**/*.test.ts"];
const UNITS = ["packages/**/*.test.ts", "benchmarks/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/support/postgres.ts"],
    // A segment of the network takes five seconds on two quiet cores, and many times that on busy ones.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // Much of a test is waiting for one process or another: two files at a time keep two cores busy.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "integration",
          include: INTEGRATION,
          exclude: [...MEASURING, ...FAULTS, ...PAGES, "test/clients/**"],
        },
      },
      {
        extends: true,
        // Pure functions leave no state behind, so files can share a process.
        test: { name: "units", include: UNITS, exclude: [...INTEGRATION, ...MEASURING], isolate: false },
      },
      // Vitest leaves files that run one at a time until the others are done.
      { extends: true, test: { name: "measuring", include: MEASURING, maxWorkers: 1 } },
      { extends: true, test: { name: "faults", include: FAULTS, maxWorkers: 1 } },
      { extends: true, test: { name: "pages", include: PAGES } },
      { extends: true, test: { name: "clients", include: CLIENTS } },
    ],
  },
});
