import { toFileName } from "@stemwright/contract";
import { Refusal } from "../refusal.ts";
import type { OutputRecord, TaskRecord } from "../tasks/task-record.ts";

/** One file of an archive. */
export type ArchiveFile = { name: string; blobKey: string; sizeBytes: number };

/** All outputs of a Task under unique names: two targets may have outputs with the same name. */
export function listArchiveFiles({ targets }: Pick<TaskRecord, "targets">): ArchiveFile[] {
  const taken = new Set<string>();
  const toName = ({ name, format }: OutputRecord) => {
    let free = toFileName(name, format);
    for (let copy = 2; taken.has(free); copy += 1) free = toFileName(`${name}-${copy}`, format);
    taken.add(free);
    return free;
  };
  return targets
    .flatMap(({ output }) => output)
    .map((output) => ({ name: toName(output), blobKey: output.blobKey, sizeBytes: output.sizeBytes }));
}

/** Refuses before the first byte: a truncated archive would look like a broken connection. */
export async function checkArchiveFiles(
  files: readonly ArchiveFile[],
  findSize: (blobKey: string) => Promise<number | undefined>,
): Promise<void> {
  if (files.length === 0) throw new Refusal("NOT_FOUND", "The Task has no outputs");
  for (const { name, blobKey, sizeBytes } of files) {
    if ((await findSize(blobKey)) !== sizeBytes)
      throw new Refusal("NOT_FOUND", `The Task's output ${name} is no longer kept as it was`);
  }
}
