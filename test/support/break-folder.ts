import { rename, rm, writeFile } from "node:fs/promises";

/** Puts a file where a folder is, so that nothing in it can be reached, not even by root; gives what undoes that. */
export async function breakFolder(path: string): Promise<() => Promise<void>> {
  const aside = `${path}.aside`;
  await rename(path, aside);
  await writeFile(path, "");
  return async () => {
    await rm(path);
    await rename(aside, path);
  };
}
