import { text } from "node:stream/consumers";
import { timedLine } from "@stemwright/contract";
import { z } from "zod";
import type { Blobs } from "../ports.ts";
import { toWordsKey } from "../tasks/output-names.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import type { WordsDocument } from "./words-record.ts";

/** Hours of words take a few megabytes; a larger file is not ours. */
const FILE_MAX_BYTES = 32 * 1024 * 1024;

const fileSchema = z.object({
  lines: z.array(timedLine.pick({ words: true, speaker: true })),
  metadata: z.looseObject({}).catch({}),
});

/** The words the service wrote for a target: its json output, or the copy stored if none was requested. Undefined if it is gone. */
export async function findOriginal(
  blobs: Pick<Blobs, "findSize" | "read">,
  task: Pick<TaskRecord, "id">,
  target: TargetRecord,
): Promise<WordsDocument | undefined> {
  const json = target.output.find(({ format }) => format === "json");
  const key = json?.blobKey ?? toWordsKey(task.id, target.id);
  const sizeBytes = await blobs.findSize(key);
  if (sizeBytes === undefined || sizeBytes > FILE_MAX_BYTES) return undefined;
  const file = fileSchema.safeParse(parseJson(await text(await blobs.read(key))));
  return file.data && { ...file.data, durationSeconds: target.durationSeconds ?? 0 };
}

/** A customer's bucket may contain anything by now. */
function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
