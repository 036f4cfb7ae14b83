import { expect, test } from "vitest";
import { getPostgresBundle } from "./get-postgres-bundle.ts";

test("this machine's bundle is installed and has a major version", async () => {
  const bundle = await getPostgresBundle(process);
  expect(bundle.version).toMatch(/^\d+\.\d+/);
  expect(bundle.version.startsWith(`${bundle.major}.`)).toBe(true);
});

test("on a platform without a bundle, the error says to set DATABASE_URL", async () => {
  const bundle = getPostgresBundle({ platform: "darwin", arch: "arm64" });
  await expect(bundle).rejects.toMatchObject({
    code: "platform_unsupported",
    message: "There is no embedded PostgreSQL for darwin arm64: set DATABASE_URL to a PostgreSQL server.",
  });
});

test("if npm left the bundle out, the error says how to install it", async () => {
  const otherArch = process.arch === "x64" ? "arm64" : "x64";
  const bundle = getPostgresBundle({ platform: "linux", arch: otherArch });
  await expect(bundle).rejects.toThrow(/are not installed .* run npm install/);
});
