import { join } from "node:path";
import { makeBuckets } from "../../packages/server/buckets/open-buckets.ts";
import { bindQueries } from "../../packages/server/db/bind-queries.ts";
import type { Database } from "../../packages/server/db/database.ts";
import { openVault } from "../../packages/server/db/secrets/open-vault.ts";
import * as integrations from "../../packages/server/db/storage/storage-integration-rows.ts";
import type { StoragePorts } from "../../packages/server/domain/storage/storage-ports.ts";
import type { AddressGuard } from "../../packages/server/net/address-guard.ts";

/** Storage integrations on a real database, for tests without the whole service. */
export function makeTestStorage(options: {
  db: Database;
  guard: AddressGuard;
  dataDir: string;
}): StoragePorts {
  const { db, guard, dataDir } = options;
  const vault = openVault({ key: undefined, keyFile: join(dataDir, "encryption.key") });
  return {
    vault,
    buckets: makeBuckets({ vault, guard, aws: {}, gcp: {} }),
    integrations: bindQueries(db, { ...integrations }),
  };
}
