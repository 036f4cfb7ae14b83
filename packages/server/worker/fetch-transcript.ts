import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { TARGET_ERRORS } from "@stemwright/contract";
import type { TargetRecord, TaskRecord } from "../domain/tasks/task-record.ts";
import { type FetchFilePorts, fetchFile } from "./fetch-input.ts";
import { TargetFailure } from "./target-failure.ts";

export function hasTranscript({ transcriptAssetId, transcriptUrl }: TargetRecord): boolean {
  return transcriptAssetId !== undefined || transcriptUrl !== undefined;
}

/** Brings the text that an alignment was given to a local file. Whatever stands in the way but a full disk, the target is told of its transcript. */
export async function fetchTranscript(
  ports: FetchFilePorts,
  { task, target, path }: { task: TaskRecord; target: TargetRecord; path: string },
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const origin = {
    clientId: task.clientId,
    createdAt: task.createdAt,
    assetId: target.transcriptAssetId,
    url: target.transcriptUrl,
    what: "transcript" as const,
  };
  try {
    await fetchFile(ports, origin, path, signal);
  } catch (error) {
    const isItsFault = error instanceof TargetFailure && error.code !== TARGET_ERRORS.DISK_FULL.code;
    if (!isItsFault) throw error;
    throw new TargetFailure("TRANSCRIPT_UNUSABLE", error.message);
  }
}
