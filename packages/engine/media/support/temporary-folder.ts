import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * Gives paths in a folder that goes away with the test file; mode 0700, as a clone in a home folder may be.
 */
export function makeTemporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "media-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
