import type { PreviewChunkQuery, PreviewPeaksQuery } from "@stemwright/contract";
import type { InstalledModel } from "../models/model-view.ts";
import type { Blobs } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import { type ColumnFiles, loadColumns } from "./load-columns.ts";
import { countChunks, type PreviewRecord, type PreviewStore, toPreviewKey } from "./preview-record.ts";
import { listTracks, toTaskPreviews } from "./preview-view.ts";

const DAT_HEADER_BYTES = 24;
const DAT_VERSION = 2;
const EIGHT_BITS = 1;

export type PreviewPorts = { blobs: Pick<Blobs, "findBytes">; previews: PreviewStore };

/** Concatenated parts, each preceded by its length in four bytes; `isFinal` if they can never change. */
export type PreviewParts = { body: Buffer; isFinal: boolean };

export const describePreviews = async (
  ports: Pick<PreviewPorts, "previews"> & { installed: readonly InstalledModel[] },
  task: TaskRecord,
) => toTaskPreviews(task, await ports.previews.findPreviews(task.id), ports.installed);

async function getRecord(
  ports: PreviewPorts,
  task: TaskRecord,
  { version, tracks }: PreviewChunkQuery,
): Promise<PreviewRecord> {
  const record = await ports.previews.findPreviews(task.id);
  if (!record) throw new Refusal("NOT_FOUND", "The Task has no previews");
  if (record.version !== version)
    throw new Refusal("NOT_FOUND", "The Task's previews have a new version; fetch their description again");
  const known = listTracks(task, record).map(({ id }) => id);
  const unknown = tracks.find((track) => !known.includes(track));
  if (unknown !== undefined)
    throw new Refusal("NOT_FOUND", `The Task's previews have no track ${JSON.stringify(unknown)}`);
  return record;
}

function joinParts(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(part.length);
      return [length, part];
    }),
  );
}

/** The same chunk of all requested tracks, in order; a part is empty if its track has not got that far. */
export async function loadChunk(
  ports: PreviewPorts,
  task: TaskRecord,
  { index, ...query }: PreviewChunkQuery & { index: number },
): Promise<PreviewParts> {
  const record = await getRecord(ports, task, query);
  if (index >= countChunks(record.shape))
    throw new Refusal("NOT_FOUND", `The Task's previews have ${countChunks(record.shape)} chunks`);
  const parts = await Promise.all(
    query.tracks.map(async (track) =>
      index < (record.chunks[track] ?? 0)
        ? await ports.blobs.findBytes(toPreviewKey(task.id, record, `${track}/chunks/${index}`))
        : undefined,
    ),
  );
  return {
    body: joinParts(parts.map((part) => part ?? Buffer.alloc(0))),
    isFinal: parts.every((part) => part !== undefined),
  };
}

export async function loadTrackPeaks(
  ports: PreviewPorts,
  task: TaskRecord,
  query: PreviewPeaksQuery,
): Promise<PreviewParts> {
  const record = await getRecord(ports, task, query);
  const { peakLevels: levels, overviewLevels, sampleRateHz } = record.shape;
  const files: ColumnFiles = { kind: "peaks", levels, overviewLevels, columnBytes: 2 };
  const { parts, isFinal } = await loadTracks(ports, { task, record, files }, query);
  return {
    body: joinParts(parts.map((pairs) => toDat(pairs, { sampleRateHz, level: query.level }))),
    isFinal,
  };
}

export async function loadTrackSpectra(
  ports: PreviewPorts,
  task: TaskRecord,
  query: PreviewPeaksQuery,
): Promise<PreviewParts> {
  const record = await getRecord(ports, task, query);
  const { spectrum } = record.shape;
  const files: ColumnFiles = { kind: "spectra", ...spectrum, columnBytes: spectrum.bands };
  const { parts, isFinal } = await loadTracks(ports, { task, record, files }, query);
  return { body: joinParts(parts), isFinal };
}

async function loadTracks(
  { blobs }: PreviewPorts,
  { task, record, files }: { task: TaskRecord; record: PreviewRecord; files: ColumnFiles },
  { level, from = 0, to = Number.MAX_SAFE_INTEGER, tracks }: PreviewPeaksQuery,
): Promise<{ parts: Buffer[]; isFinal: boolean }> {
  if (!files.levels.includes(level))
    throw new Refusal("REQUEST_INVALID", `level must be one of ${files.levels.join(", ")}`);
  const wanted = { level, fromChunk: from, toChunk: Math.max(from, to) };
  const loaded = await Promise.all(
    tracks.map((track) => loadColumns(blobs, { taskId: task.id, record, files }, { track, ...wanted })),
  );
  return {
    parts: loaded.map(({ columns }) => columns),
    isFinal: loaded.every(({ isWhole }) => isWhole),
  };
}

/** Pairs of peaks as a `.dat` file, version 2, of BBC's audiowaveform: 8 bits, one channel. */
function toDat(pairs: Buffer, { sampleRateHz, level }: { sampleRateHz: number; level: number }): Buffer {
  const header = Buffer.alloc(DAT_HEADER_BYTES);
  header.writeInt32LE(DAT_VERSION, 0);
  header.writeUInt32LE(EIGHT_BITS, 4);
  header.writeInt32LE(sampleRateHz, 8);
  header.writeInt32LE(level, 12);
  header.writeUInt32LE(pairs.length / 2, 16);
  header.writeInt32LE(1, 20);
  return Buffer.concat([header, pairs]);
}
