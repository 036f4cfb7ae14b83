import { signal } from "@preact/signals";
import type { Asset } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { describeError } from "../../parts/describe-error.ts";

/** A file being uploaded. */
export type FileUpload = {
  id: number;
  file: File;
  /** From 0 to 1. */
  progress: number;
  asset?: Asset;
  error?: string | undefined;
};

/** Concurrent uploads; a browser opens at most six connections. */
const AT_ONCE = 2;

export const uploads = signal<readonly FileUpload[]>([]);
const controllers = new Map<number, AbortController>();
let lastId = 0;
let running = 0;

function change(id: number, fields: Partial<FileUpload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload));
}

async function send({ id, file }: FileUpload): Promise<void> {
  const controller = new AbortController();
  controllers.set(id, controller);
  try {
    const asset = await apiClient.assets.upload(file, {
      signal: controller.signal,
      onProgress: ({ sentBytes, totalBytes = file.size }) =>
        change(id, { progress: sentBytes / Math.max(1, totalBytes) }),
    });
    change(id, { asset, progress: 1 });
  } catch (error) {
    if (!controller.signal.aborted) change(id, { error: describeError(error) });
  } finally {
    controllers.delete(id);
  }
}

async function sendNext(): Promise<void> {
  const next = uploads.value.find(
    ({ id, asset, error }) => !asset && error === undefined && !controllers.has(id),
  );
  if (!next || running >= AT_ONCE) return;
  running += 1;
  const sent = send(next);
  void sendNext();
  await sent;
  running -= 1;
  void sendNext();
}

/** Uploads start immediately, so that the estimate knows the files' lengths. */
export function addFiles(files: readonly File[]): void {
  const added = files.map((file) => {
    lastId += 1;
    return { id: lastId, file, progress: 0 };
  });
  uploads.value = [...uploads.value, ...added];
  void sendNext();
}

/** Resumes an upload that failed. */
export function retryUpload(id: number): void {
  change(id, { error: undefined });
  void sendNext();
}

/** Removes a file; one that was already uploaded stays an asset. */
export function removeUpload(id: number): void {
  controllers.get(id)?.abort();
  uploads.value = uploads.value.filter((upload) => upload.id !== id);
  void sendNext();
}

export function clearUploads(): void {
  for (const { id } of uploads.value) removeUpload(id);
}
