import type { Blobs } from "../domain/ports.ts";
import type { UnclaimedFiles } from "../domain/storage/unclaimed-files.ts";

/** All files of an asset, or of a Task's outputs, are in one folder: `assets/<id>`, `outputs/<id>`. */
const toFolder = (key: string) => key.split("/").slice(0, 2).join("/");

/** Our own store. Files are announced before they are written, and a deleted file is hidden even while it still exists. */
export function withUnclaimedFiles(own: Blobs, unclaimed: UnclaimedFiles): Blobs {
  return {
    ...own,
    async write(key, content, options) {
      // The writer handles errors; an earlier one must not crash the process.
      content.on("error", () => {});
      await unclaimed.announce(toFolder(key));
      return await own.write(key, content, options);
    },
    async findSize(key) {
      const sizeBytes = await own.findSize(key);
      const isGone = sizeBytes !== undefined && (await unclaimed.isUnclaimed(toFolder(key)));
      return isGone ? undefined : sizeBytes;
    },
  };
}
