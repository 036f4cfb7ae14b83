import type { EngineTarget } from "@stemwright/engine";
import { mayHavePreviews } from "../../domain/previews/preview-record.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { DiskRoom } from "../../monitoring/disk-room.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { countFolderBytes, countPromisedBytes, promiseRoom } from "../work-dirs/promised-room.ts";
import type { HoldWorkPorts } from "./hold-work.ts";

export type ReserveRoomPorts = Pick<HoldWorkPorts, "estimateWorkBytes" | "sizeLimits"> & {
  room: Pick<DiskRoom, "look">;
  workDir: string;
  hasPreviews: boolean;
};

type Media = { durationSeconds: number; sampleRateHz: number; channels: number };

/** Two channels of 16 bits at 48 kHz, and their peaks. */
const PREVIEW_BYTES_PER_SECOND = 200_000;
const SAMPLE_BYTES = 4;
/** Lossless outputs are nearly as large as the samples; others take at most a quarter of them. */
const LOSSLESS: readonly string[] = ["wav", "flac", "aiff"];
const LOSSY_SHARE = 0.25;

/** The Task does not fit on the disk now; it is returned to the queue. */
export class ShortOfRoom extends Error {
  override readonly name = "ShortOfRoom";
  readonly code = "ENOSPC";
  readonly neededBytes: number;

  constructor(neededBytes: number, availableBytes: number) {
    super(`the Task needs ${neededBytes} bytes of disk, and ${Math.max(0, availableBytes)} are available`);
    this.neededBytes = neededBytes;
  }
}

/** The most a Task of this length takes on the disk at once: work, outputs, previews and a copy of its input. */
export function estimateTaskBytes(
  ports: Pick<ReserveRoomPorts, "estimateWorkBytes" | "sizeLimits" | "hasPreviews">,
  { task, targets }: { task: TaskRecord; targets: readonly EngineTarget[] },
  { inputBytes, ...media }: Media & { inputBytes: number },
): number {
  const { durationSeconds, sampleRateHz, channels } = media;
  const soundBytes = Math.ceil(durationSeconds * sampleRateHz) * channels * SAMPLE_BYTES;
  const outputs = targets.map((target) => countOutputs(target) * soundBytes);
  const tracks = ports.hasPreviews && mayHavePreviews(task) ? 1 + targets.length : 0;
  return Math.ceil(
    // Beyond its limit the engine refuses the work.
    Math.min(ports.estimateWorkBytes(targets, media), ports.sizeLimits.workMaxBytes) +
      outputs.reduce((sum, sizeBytes) => sum + sizeBytes, 0) +
      tracks * durationSeconds * PREVIEW_BYTES_PER_SECOND +
      inputBytes,
  );
}

/** In multiples of the decoded input; of two voices, as their number is unknown. */
function countOutputs(target: EngineTarget): number {
  const shareOf = (format: string) => (LOSSLESS.includes(format) ? 1 : LOSSY_SHARE);
  const formats =
    target.kind === "sound"
      ? target.files.map(({ format }) => format)
      : target.kind === "voices"
        ? [...target.formats, ...target.formats]
        : [];
  return formats.reduce((sum, format) => sum + shareOf(format), 0);
}

/**
 * Promises the Task the room it needs, as far as that is known: by the estimate, or from the last time a disk was full. Fails for good only if the volume could
 * never hold it.
 */
export async function reserveRoom(
  ports: Pick<ReserveRoomPorts, "room" | "workDir">,
  { task, taskDir }: { task: TaskRecord; taskDir: string },
  estimatedBytes: number | undefined,
): Promise<void> {
  const { freeBytes, usableBytes } = await ports.room.look();
  if (estimatedBytes !== undefined && estimatedBytes > usableBytes)
    throw new TargetFailure(
      "DISK_FULL",
      `The Task needs ${estimatedBytes} bytes of disk, and the worker's disk has ${usableBytes} in all. Send the input in parts, or request fewer stems and formats at once.`,
    );
  const neededBytes = Math.max(estimatedBytes ?? 0, task.roomNeededBytes ?? 0);
  if (neededBytes === 0) return;
  // Before the others' is counted: of two Tasks that are checked at once, at least one sees the other.
  await promiseRoom(taskDir, neededBytes);
  const availableBytes =
    freeBytes + (await countFolderBytes(taskDir)) - (await countPromisedBytes(ports.workDir, task.id));
  if (neededBytes > availableBytes) throw new ShortOfRoom(neededBytes, availableBytes);
}
