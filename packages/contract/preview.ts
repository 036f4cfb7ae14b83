import { z } from "zod";
import { id, idParams } from "./id.ts";

export const PREVIEW_STATUSES = ["waiting", "growing", "complete", "partial", "none"] as const;

const previewTrack = z
  .object({
    id: z.string().meta({
      description: "`input`, a target's id, or that with `-residual` or `-voice-01` (and so on) behind it",
    }),
    name: z.string().meta({ description: "As outputs are named, or `input`", example: "vocals_residual" }),
    targetId: id.optional(),
    chunks: z.int().meta({ description: "Number available so far, from the first one on" }),
    within: z.array(z.string()).optional().meta({
      description: "Of a track that is not in `mix`: the tracks of `mix` that have some of its sound",
    }),
  })
  .meta({ id: "PreviewTrack" });
export type PreviewTrack = z.infer<typeof previewTrack>;

export const taskPreviews = z
  .object({
    status: z.enum(PREVIEW_STATUSES).meta({
      description:
        "`waiting`: none yet. `growing`: the Task runs. `complete`: all chunks of all tracks. `partial`: the Task ended before that. `none`: there are none, and there will be none.",
    }),
    version: z.string().optional().meta({ description: "Pass it in requests for chunks and peaks" }),
    sampleRate: z.int().optional(),
    channels: z.int().optional().meta({ description: "1 or 2; more are mixed to 2" }),
    frames: z.int().optional().meta({ description: "Length of the input and of each stem" }),
    chunkFrames: z.int().optional().meta({ description: "Length of each chunk but the last" }),
    peakLevels: z
      .array(z.int())
      .optional()
      .meta({ description: "Frames for each pair of peaks, from the finest to the coarsest level" }),
    spectrum: z
      .object({
        levels: z
          .array(z.int())
          .meta({ description: "Frames for each column, from the finest to the coarsest level" }),
        bands: z.int().meta({
          description:
            "Bytes of a column, from the lowest band to the highest: they share the mel scale from 0 to half of the rate evenly",
        }),
        floorDb: z.number().meta({
          description: "Level of byte 0, in dB; 255 is the power of a full-scale sine",
        }),
      })
      .optional(),
    tracks: z.array(previewTrack),
    mix: z
      .object({
        tracks: z
          .array(z.string())
          .meta({ description: "Ids of tracks; the input alone if there is no other" }),
        isWhole: z.boolean().meta({ description: "Whether the models say that they add up to the input" }),
      })
      .optional()
      .meta({ description: "What a player starts with: tracks of which no two have the same sound" }),
  })
  .meta({ id: "TaskPreviews" });
export type TaskPreviews = z.infer<typeof taskPreviews>;

const MAX_TRACKS = 64;
const wholeNumber = z
  .string("must be a whole number")
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number);

const commonQuery = {
  version: z.string().min(1).meta({ description: "As returned by `GET /tasks/{id}/previews`" }),
  tracks: z
    .string()
    .min(1)
    .transform((text) => text.split(","))
    .refine((tracks) => tracks.length <= MAX_TRACKS, `must be ${MAX_TRACKS} tracks at most`)
    .meta({ description: "Ids of tracks, with commas between them", type: "string" }),
};

export const previewChunkParams = idParams.extend({
  index: wholeNumber.meta({ description: "From 0 on", type: "integer" }),
});
export const previewChunkQuery = z.object(commonQuery);
export type PreviewChunkQuery = z.infer<typeof previewChunkQuery>;

export const previewPeaksQuery = z.object({
  ...commonQuery,
  level: wholeNumber.meta({ description: "One of `peakLevels`, or of `spectrum.levels`", type: "integer" }),
  from: wholeNumber.optional().meta({ description: "First chunk; defaults to 0", type: "integer" }),
  to: wholeNumber
    .optional()
    .meta({ description: "Chunk after the last one; defaults to all", type: "integer" }),
});
export type PreviewPeaksQuery = z.infer<typeof previewPeaksQuery>;
