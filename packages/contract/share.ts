import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { outputFile } from "./output.ts";
import { previewChunkParams } from "./preview.ts";
import { TARGET_STATUSES, target } from "./target.ts";

const DAY_SECONDS = 86_400;
export const SHARE_DEFAULT_SECONDS = 7 * DAY_SECONDS;
export const MAX_SHARE_SECONDS = 365 * DAY_SECONDS;
/** Per Task. */
export const MAX_SHARES = 100;

const showsName = z
  .boolean()
  .default(false)
  .meta({ description: "Whether it shows the uploaded file's name, also in names of exports" });

export const shareRequest = z
  .object({
    expiresInSeconds: z
      .int()
      .min(60)
      .max(MAX_SHARE_SECONDS)
      .default(SHARE_DEFAULT_SECONDS)
      .meta({ description: "60 s to one year; defaults to a week" }),
    showsName,
  })
  .meta({ id: "ShareRequest" });
export type ShareInput = z.input<typeof shareRequest>;

export const share = z
  .object({ id, createdAt: dateTime, expiresAt: dateTime, showsName: showsName.unwrap() })
  .meta({ id: "Share", description: "A link that shows one Task to whoever has it" });
export type Share = z.infer<typeof share>;

export const newShare = share
  .extend({
    token: z.string().meta({ description: "Shown once" }),
    url: z.string().meta({ description: "URL of the shared page; returned once" }),
  })
  .meta({ id: "NewShare" });
export type NewShare = z.infer<typeof newShare>;

export const shareParams = z.object({ id: z.string().min(1), shareId: z.string().min(1) });
export const shareTokenParams = z.object({ token: z.string().min(1) });
export const sharedChunkParams = shareTokenParams.extend({ index: previewChunkParams.shape.index });
export const sharedTargetParams = shareTokenParams.extend({ targetId: z.string().min(1) });

/** A target without its cost, its input and its error message: nothing that reveals the account. */
const sharedTarget = z
  .object({
    id,
    model: z.string(),
    variant: target.shape.variant,
    status: z.enum(TARGET_STATUSES),
    duration: target.shape.duration,
    audioOffset: target.shape.audioOffset,
    fileTimeline: target.shape.fileTimeline,
    progress: target.shape.progress,
    output: z.array(outputFile),
    hasWords: z
      .boolean()
      .meta({ description: "Whether GET /shares/{token}/targets/{targetId}/words has words" }),
  })
  .meta({ id: "SharedTarget" });

export const sharedTask = z
  .object({
    name: z.string().exactOptional().meta({ description: "The uploaded file's name, if the share shows it" }),
    createdAt: dateTime,
    completedAt: dateTime.nullable(),
    expiresAt: dateTime.meta({ description: "When the share ends" }),
    targets: z.array(sharedTarget),
  })
  .meta({ id: "SharedTask", description: "One Task as a share shows it" });
export type SharedTask = z.infer<typeof sharedTask>;
