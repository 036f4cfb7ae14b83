import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TARGET_ERRORS } from "@stemwright/contract";
import { isCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import { countLeadSeconds } from "../../domain/tasks/audio-offset.ts";
import type { OutputRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type FetchFilePorts, fetchInput } from "../inputs/fetch-input.ts";

/** The output that is recognised best: singing without the instruments. */
const VOCALS = "vocals";
const LOSSLESS = ["wav", "flac", "aiff"];

/** With it, the folder's name can't be mistaken for a Task id. */
const FOLDER_ENDING = ".gap";

const GONE = "The recording is no longer stored";
const WHAT_TO_DO =
  "Words and times can still be edited by hand. To have them aligned, upload the recording again and run alignment with the edited text";
const GONE_CODES: readonly number[] = [
  TARGET_ERRORS.INPUT_NOT_FOUND.code,
  TARGET_ERRORS.INPUT_ACCESS_DENIED.code,
  TARGET_ERRORS.INPUT_FETCH_FAILED.code,
];

/** `leadSeconds` is how long the file is silent before the audio that words are found in. */
export type GapInput = { path: string; folder: string; leadSeconds: number };

/**
 * The recording of the Task whose words are being edited, as a local file. The last one is kept until another Task's replaces it or `forget` is
 * called, since the next gap usually follows soon.
 */
export function makeGapInputs(ports: FetchFilePorts & { workDir: string }) {
  let kept: { key: string; folder: string } | undefined;

  async function forget(): Promise<void> {
    const { folder } = kept ?? {};
    kept = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  return {
    forget,
    async load(task: TaskRecord, signal: AbortSignal): Promise<GapInput> {
      const vocals = await findVocals(ports, task);
      const key = `${task.id} ${vocals?.blobKey ?? "input"}`;
      if (kept?.key !== key) await forget();
      const folder = join(ports.workDir, `${task.id}.${process.pid}${FOLDER_ENDING}`);
      const path = join(folder, "input");
      // If the client has deleted the recording meanwhile, our copy must not be used either.
      const isKept = kept?.key === key && (await isStored(ports, task, vocals)) && (await isThere(path));
      const input = { path, folder, leadSeconds: vocals?.leadSeconds ?? 0 };
      if (isKept) return input;
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      kept = { key, folder };
      if (vocals) await ports.blobs.copyTo(vocals.blobKey, path);
      else await fetchInput(ports, task, path, { signal, report: () => {} }).catch(explain);
      return input;
    },
  };
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

type Vocals = OutputRecord & { leadSeconds: number };

/** The Task's vocals, if it made them and they still exist. */
async function findVocals(
  { blobs }: Pick<FetchFilePorts, "blobs">,
  task: TaskRecord,
): Promise<Vocals | undefined> {
  const outputs = task.targets
    .filter(({ model }) => model === VOCALS)
    .flatMap((target) => target.output.map((file) => ({ ...file, leadSeconds: countLeadSeconds(target) })));
  const own = outputs.filter(
    ({ name, blobKey }) => !name.endsWith("_residual") && !isCustomerBlobKey(blobKey),
  );
  const best = own.find(({ format }) => LOSSLESS.includes(format)) ?? own[0];
  return best && (await blobs.findSize(best.blobKey)) !== undefined ? best : undefined;
}

async function isStored(
  { assets }: Pick<FetchFilePorts, "assets">,
  { clientId, assetId }: TaskRecord,
  vocals: OutputRecord | undefined,
): Promise<boolean> {
  if (vocals || assetId === undefined) return true;
  return (await assets.findAsset(clientId, assetId)) !== undefined;
}

function explain(error: unknown): never {
  if (!(error instanceof TargetFailure) || !GONE_CODES.includes(error.code)) throw error;
  throw new TargetFailure("INPUT_NOT_FOUND", `${GONE} (${error.message}). ${WHAT_TO_DO}.`);
}

/** Removes what killed workers have left. */
export async function sweepGapInputs(workDir: string, before: Date): Promise<number> {
  const names = (await readdir(workDir).catch(() => [])).filter((name) => name.endsWith(FOLDER_ENDING));
  let removed = 0;
  for (const name of names) {
    const folder = join(workDir, name);
    const { mtime } = await stat(folder).catch(() => ({ mtime: new Date() }));
    if (mtime >= before) continue;
    await rm(folder, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
