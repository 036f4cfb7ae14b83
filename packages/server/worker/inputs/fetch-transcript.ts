import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { TARGET_ERRORS } from "@stemwright/contract";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type FetchFilePorts, fetchFile } from "./fetch-input.ts";

export function hasTranscript({ transcriptAssetId, transcriptUrl }: TargetRecord): boolean {
  return transcriptAssetId !== undefined || transcriptUrl !== undefined;
}

/** Downloads the text of an alignment to a local file. Any failure is reported as one of the target's transcript. */
export async function fetchTranscript(
  ports: FetchFilePorts,
  { task, target, path }: { task: TaskRecord; target: TargetRecord; path: string },
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const origin = {
    taskId: task.id,
    targetId: target.id,
    clientId: task.clientId,
    storageIntegrationId: task.storageIntegrationId,
    assetId: target.transcriptAssetId,
    url: target.transcriptUrl,
    what: "transcript" as const,
  };
  try {
    await fetchFile(ports, origin, { path, signal, onProgress: () => {} });
  } catch (error) {
    const isItsFault = error instanceof TargetFailure && error.code !== TARGET_ERRORS.NOT_SET_UP.code;
    if (!isItsFault) throw error;
    throw new TargetFailure("TRANSCRIPT_UNUSABLE", error.message);
  }
}
