import { setTimeout as wait } from "node:timers/promises";
import { makeId } from "../ids.ts";
import { Refusal } from "../refusal.ts";
import { PartialFileLost, type PartialFiles, toPartialFile } from "./partial-files.ts";
import {
  type UploadPlace,
  type UploadRecord,
  type UploadStore,
  type UploadUpdate,
  unknownUpload,
  WRITER_LEASE_MS,
} from "./upload-record.ts";

/** How often a writer renews its lease, records its progress and learns that it is to stop. */
const RENEWAL_MS = 1000;
const POLL_MS = 100;

const makeTakenOver = () =>
  new Refusal("UPLOAD_TAKEN_OVER", "Another request continued or removed this upload; this one was stopped");

/** One request's exclusive access to an upload. */
export type Writing = {
  upload: UploadRecord;
  token: string;
  /** Aborts, with the error to throw, as soon as the request is to stop. */
  signal: AbortSignal;
  /** Throws if the upload is another's by now. */
  record(progress: UploadUpdate): Promise<void>;
  /** Called with each renewal; what it returns is recorded. */
  renewWith(sync: () => Promise<UploadUpdate>): void;
};

export type WriterPorts = { uploads: UploadStore; partials: PartialFiles };

async function takeUpload(uploads: UploadStore, place: UploadPlace, token: string): Promise<UploadRecord> {
  let taken = await uploads.takeUpload(place, token, "first-call");
  while (taken === "busy") {
    await wait(POLL_MS);
    taken = await uploads.takeUpload(place, token, "again");
  }
  if (taken === undefined) throw unknownUpload();
  if (taken === "taken-over") throw makeTakenOver();
  return taken;
}

/** An upload once no older request has bytes of it in its hands; undefined if there is none, or it was finished meanwhile. */
export async function settleUpload(
  ports: WriterPorts,
  place: UploadPlace,
): Promise<UploadRecord | undefined> {
  if (!(await ports.uploads.findUpload(place.clientId, place.id))) return undefined;
  try {
    return await asOnlyWriter(ports, place, { work: async ({ upload }) => upload });
  } catch (error) {
    if (error instanceof Refusal && error.code === unknownUpload().code) return undefined;
    throw error;
  }
}

/**
 * Runs the work as the only writer of an upload, in all processes. The newest request wins, because an older one mostly is a connection that broke
 * without our noticing: it is stopped, stores what it has, and only then does the newer one start.
 */
export async function asOnlyWriter<Result>(
  { uploads, partials }: WriterPorts,
  place: UploadPlace,
  { work, signal: outer }: { work: (writing: Writing) => Promise<Result>; signal?: AbortSignal | undefined },
): Promise<Result> {
  const token = makeId();
  const { id } = place;
  const upload = await takeUpload(uploads, place, token);
  const ending = new AbortController();
  let sync: (() => Promise<UploadUpdate>) | undefined;
  let renewing: Promise<void> | undefined;
  let renewedAtMs = performance.now();

  async function renew(): Promise<void> {
    try {
      const startedAtMs = performance.now();
      const state = await uploads.keepUpload(id, token, await sync?.());
      renewedAtMs = startedAtMs;
      if (state !== "kept") ending.abort(makeTakenOver());
    } catch (error) {
      if (performance.now() - renewedAtMs > WRITER_LEASE_MS - 2 * RENEWAL_MS) ending.abort(error);
    }
  }
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
  }, RENEWAL_MS);

  try {
    return await work({
      upload,
      token,
      signal: outer ? AbortSignal.any([ending.signal, outer]) : ending.signal,
      async record(progress) {
        if ((await uploads.keepUpload(id, token, progress)) === "lost") throw makeTakenOver();
      },
      renewWith(given) {
        sync = given;
      },
    });
  } catch (error) {
    if (!(error instanceof PartialFileLost)) throw error;
    await partials.abort(toPartialFile(upload));
    await uploads.deleteUpload(id, token);
    throw unknownUpload();
  } finally {
    clearInterval(timer);
    await renewing;
    // A lease that can't be given back ends by itself.
    await uploads.releaseUpload(id, token).catch(() => {});
  }
}
