import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test's data. The embedded database, which runs as another user under root, can pass through it. */
export async function makeTempDir(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `stemwright-${name}-`));
  await chmod(folder, 0o711);
  return folder;
}
