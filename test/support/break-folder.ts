import { rename, rm, writeFile } from "node:fs/promises";

/** Replaces a folder with a file, so that nothing in it can be reached, not even by root; returns a function that undoes it. */
export async function breakFolder(path: string): Promise<() => Promise<void>> {
  const aside = `${path}.aside`;
  await rename(path, aside);
  await writeFile(path, "");
  return async () => {
    await rm(path);
    await rename(aside, path);
  };
}
