import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { MediaError } from "./media-error.ts";

/** Opened by the parent, because the child, as another user, may not be able to reach the folder. */
export async function openInputFile(path: string): Promise<{ file: FileHandle; sizeBytes: number }> {
  // O_NONBLOCK: opening a named pipe would otherwise hang.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause) => {
    throw new MediaError("unreadable", describeOpenFailure(path, cause), { cause });
  });
  const stats = await file.stat();
  if (!stats.isFile()) {
    await file.close();
    throw new MediaError("unreadable", `${path} is not a file.`);
  }
  return { file, sizeBytes: stats.size };
}

function describeOpenFailure(path: string, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return `There is no file ${path}.`;
  if (code === "EACCES") return `The file ${path} may not be read by this user.`;
  return `The file ${path} cannot be opened (${String(code)}).`;
}
