import { describe, expect, it } from "vitest";
import { openDatabaseProbe } from "../db/connection/database-probe.ts";
import { openDatabase } from "../db/connection/open-database.ts";
import type { MediaSandbox } from "../media/open-media-sandbox.ts";
import { makeOperation } from "./make-operation.ts";

describe("the health of the service", () => {
  it("[D8] is degraded while the database does not answer", async () => {
    // Nobody listens on port 1.
    const connectionString = "postgres://127.0.0.1:1/none";
    const { db } = openDatabase({ connectionString, maxConnections: 1 });
    const probe = openDatabaseProbe(connectionString);
    const sandbox: MediaSandbox = { mode: "required", layers: [], gaps: [] };
    const operation = makeOperation({
      db,
      probe,
      dataDir: import.meta.dirname,
      diskFreeMinBytes: 0,
      sandbox,
    });
    const health = await operation.checkHealth();
    await probe.close();
    await db.destroy();
    expect(health).toMatchObject({
      status: "degraded",
      database: { isOk: false },
      disk: { totalBytes: expect.any(Number) },
      queue: { waiting: 0, active: 0, oldestWaitingSeconds: null },
      workers: { isOk: false, alive: 0, faults: [] },
    });
  });
});
