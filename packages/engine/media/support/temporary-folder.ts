import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Returns paths in a folder that is removed after the test file; mode 0700, like a clone in a home folder may have. */
export function makeTemporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "media-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
