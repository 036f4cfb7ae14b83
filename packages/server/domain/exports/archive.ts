import { toFileName } from "@stemwright/contract";
import { Refusal } from "../refusal.ts";
import { toDownloadName } from "../tasks/recording-name.ts";
import type { OutputRecord, TaskRecord } from "../tasks/task-record.ts";

/** One file of an archive: a stored one, or words as edited. */
export type ArchiveFile = { name: string; sizeBytes: number } & (
  | { blobKey: string; content?: undefined }
  | { content: Buffer; blobKey?: undefined }
);

/** The words of targets that people have edited, by the target's id. */
export type EditedTexts = ReadonlyMap<string, (format: string) => string>;

/**
 * All outputs of a Task, named after the recording and under unique names: two targets may have outputs with the same name. Words that were edited replace
 * what the service wrote, and say so.
 */
export function listArchiveFiles(
  { targets }: Pick<TaskRecord, "targets">,
  { recording, edited = new Map() }: { recording?: string | undefined; edited?: EditedTexts } = {},
): ArchiveFile[] {
  const taken = new Set<string>();
  const toName = ({ name, format }: Pick<OutputRecord, "name" | "format">) => {
    const plain = toDownloadName(recording, name);
    let free = toFileName(plain, format);
    for (let copy = 2; taken.has(free); copy += 1) free = toFileName(`${plain}-${copy}`, format);
    taken.add(free);
    return free;
  };
  return targets.flatMap(({ id, output }) =>
    output.map(({ name, format, blobKey, sizeBytes }): ArchiveFile => {
      const write = edited.get(id);
      if (!write) return { name: toName({ name, format }), blobKey, sizeBytes };
      const content = Buffer.from(write(format));
      return { name: toName({ name: toEditedName(name), format }), content, sizeBytes: content.length };
    }),
  );
}

/** Marks a file whose words are not the service's own. */
export const toEditedName = (name: string) => `${name} (edited)`;

/** Refuses before the first byte: a truncated archive would look like a broken connection. */
export async function checkArchiveFiles(
  files: readonly ArchiveFile[],
  findSize: (blobKey: string) => Promise<number | undefined>,
): Promise<void> {
  if (files.length === 0) throw new Refusal("NOT_FOUND", "The Task has no outputs");
  for (const { name, blobKey, sizeBytes } of files) {
    if (blobKey !== undefined && (await findSize(blobKey)) !== sizeBytes)
      throw new Refusal("NOT_FOUND", `The Task's output ${name} is no longer kept as it was`);
  }
}
