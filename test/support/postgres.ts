import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { makeTempDir } from "./temp-dir.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** One real database server for the whole run; each test file creates its own databases on it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await makeTempDir("test");
  const postgres = await startEmbeddedPostgres({ dataDir });
  project.provide("postgresUrl", postgres.connectionString);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
