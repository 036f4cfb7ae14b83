import { z } from "zod";
import { dateTime, id, moment } from "./id.ts";
import { pageQuery } from "./page.ts";
import { givenId, plainText } from "./plain-text.ts";
import { TARGET_STATUSES, target, targetRequest } from "./target.ts";

export const MAX_METADATA_CHARACTERS = 4096;
export const MAX_TARGETS = 20;

/** Characters as a person counts them: an emoji outside the basic plane is one, not two. */
const hasRoomForMetadata = (text: string) =>
  text.length <= MAX_METADATA_CHARACTERS || [...text].length <= MAX_METADATA_CHARACTERS;

export const taskRequest = z
  .object({
    assetId: givenId.exactOptional().meta({ description: "An uploaded asset; this or url" }),
    url: plainText(4096).exactOptional().meta({ description: "An https:// or bucket URL; this or assetId" }),
    targets: z
      .array(targetRequest)
      .min(1, `must have 1 to ${MAX_TARGETS} elements`)
      .max(MAX_TARGETS, `must have 1 to ${MAX_TARGETS} elements`),
    storageIntegrationId: givenId.exactOptional(),
    writeDestination: plainText(4096)
      .exactOptional()
      .meta({ description: "Bucket URL prefix for the outputs" }),
    webhookUrl: plainText(4096).exactOptional().meta({ description: "Overrides the account's webhook URL" }),
    metadata: z
      .string()
      .refine(hasRoomForMetadata, `must have at most ${MAX_METADATA_CHARACTERS} characters`)
      .exactOptional()
      .meta({ description: "Returned unchanged", maxLength: MAX_METADATA_CHARACTERS }),
    priority: z
      .int()
      .min(0)
      .max(9)
      .exactOptional()
      .meta({ description: "Order among the client's own Tasks, highest first; defaults to 5" }),
  })
  .meta({ id: "TaskRequest" });
export type TaskRequest = z.infer<typeof taskRequest>;
/** As a caller may send it: fields with a default are optional. */
export type TaskInput = z.input<typeof taskRequest>;

const fieldsOfBothForms = {
  id,
  createdAt: dateTime,
  completedAt: dateTime.nullable().meta({ description: "Null while any target is processing" }),
  clientId: z.string(),
  cost: z.number().exactOptional().meta({ description: "Credits of the completed targets" }),
  assetId: z.string().exactOptional(),
  url: z.string().exactOptional(),
  metadata: z.string().exactOptional(),
  targets: z.array(target),
};

export const task = z
  .object({
    ...fieldsOfBothForms,
    storageIntegrationId: z.string().exactOptional(),
    writeDestination: z.string().exactOptional(),
    priority: z.int().exactOptional(),
  })
  .meta({ id: "Task" });
export type Task = z.infer<typeof task>;

export const taskListItem = z.object(fieldsOfBothForms).meta({ id: "TaskListItem" });
export type TaskListItem = z.infer<typeof taskListItem>;

export const taskListQuery = pageQuery.extend({
  status: z
    .enum(TARGET_STATUSES)
    .exactOptional()
    .meta({ description: "`error` when a target of a finished Task failed" }),
  model: plainText(100).exactOptional().meta({ description: "Tasks with a target of this model" }),
  search: plainText(200)
    .exactOptional()
    .meta({ description: "Text in the id, the url, the metadata or the asset's name, in any case" }),
  createdAfter: moment.exactOptional().meta({ description: "Tasks created at that time or later" }),
  createdBefore: moment.exactOptional().meta({ description: "Tasks created before that time" }),
});
export type TaskListQuery = z.output<typeof taskListQuery>;

export const taskEstimate = z
  .object({
    duration: z.number().exactOptional().meta({ description: "Seconds of audio, where known" }),
    creditsPerMinute: z.number().meta({ description: "Credits for each started minute of audio" }),
    cost: z
      .number()
      .exactOptional()
      .meta({ description: "Credits when all complete; with a known duration" }),
    targets: z.array(
      z.object({
        model: z.string(),
        variant: z.string().exactOptional(),
        creditsPerMinute: z.number(),
        cost: z.number().exactOptional(),
      }),
    ),
  })
  .meta({ id: "TaskEstimate" });
export type TaskEstimate = z.infer<typeof taskEstimate>;

export const idempotencyHeaders = z.looseObject({
  "idempotency-key": z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
    .exactOptional()
    .meta({ description: "The same key and body return the first response for 24 hours" }),
});

export const lastEventHeaders = z.looseObject({
  "last-event-id": z
    .string()
    .exactOptional()
    .meta({ description: "Id of the last event received; sends what has changed since" }),
});
