import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { PostgresBundle } from "./get-postgres-bundle.ts";
import type { PostgresHome } from "./open-home.ts";

export type Cluster = { dataDir: string; password: string };

export function clusterDataDir(home: PostgresHome): string {
  return join(home.dir, "cluster", "data");
}

export async function openCluster(options: {
  home: PostgresHome;
  bundle: PostgresBundle;
  onMissing: () => Promise<void>;
}): Promise<Cluster> {
  const { home, bundle } = options;
  const dataDir = clusterDataDir(home);
  let major = await findMajor(dataDir);
  if (major === undefined) {
    await options.onMissing();
    major = await findMajor(dataDir);
  }
  if (major !== bundle.major) {
    throw new EmbeddedPostgresError(
      "major_version_mismatch",
      `The database in ${dataDir} was made by PostgreSQL ${major}, this release brings ${bundle.major}: start the release that made it and save its content with pg_dump, or move ${join(home.dir, "cluster")} away to begin with an empty database.`,
    );
  }
  return { dataDir, password: await readFile(join(home.dir, "cluster", "password"), "utf8") };
}

async function findMajor(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, "PG_VERSION"), "utf8")).trim();
  } catch {
    return undefined;
  }
}
