import type { Words, WordsVersion } from "@stemwright/contract";
import { findCatalogueModel } from "../models/catalogue.ts";
import type { Blobs } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import { findOriginal } from "./find-original.ts";
import type { EditRecord, WordsDocument, WordsStore } from "./words-record.ts";
import { toWords } from "./words-view.ts";

export type WordsPorts = { words: WordsStore; blobs: Pick<Blobs, "findSize" | "read"> };

export const isText = ({ model }: Pick<TargetRecord, "model">) =>
  findCatalogueModel(model)?.produces === "text";

/** The target of a Task whose words are requested. */
export function getTextTarget(task: TaskRecord, targetId: string): TargetRecord {
  const target = task.targets.find(({ id }) => id === targetId);
  if (!target) throw new Refusal("NOT_FOUND", "The Task has no target with that id");
  if (!isText(target))
    throw new Refusal("WORDS_UNKNOWN", `${target.model} has no words; transcription and alignment do`);
  if (target.status !== "completed")
    throw new Refusal(
      "WORDS_UNKNOWN",
      target.status === "error"
        ? "The target failed and has no words"
        : "The target has no words yet; it is still processing",
    );
  return target;
}

/** The current words: edited, or as the service wrote them. */
export async function loadDocument(
  ports: WordsPorts,
  task: TaskRecord,
  target: TargetRecord,
  version: WordsVersion = "edited",
): Promise<{ document: WordsDocument; edit: EditRecord | undefined }> {
  const edit = version === "edited" ? await ports.words.findEdit(target.id) : undefined;
  const document = edit?.document ?? (await findOriginal(ports.blobs, task, target));
  if (!document)
    throw new Refusal(
      "WORDS_UNKNOWN",
      "What the target wrote is no longer kept, or can't be read; run the Task again, with json among the formats where it writes to your bucket",
    );
  return { document, edit };
}

export async function loadWords(ports: WordsPorts, task: TaskRecord, targetId: string): Promise<Words> {
  const { document, edit } = await loadDocument(ports, task, getTextTarget(task, targetId));
  return toWords(document, edit);
}
