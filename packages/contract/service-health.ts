import { z } from "zod";
import { dateTime, id } from "./id.ts";

export const worker = z
  .object({
    id,
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    isAlive: z.boolean().meta({ description: "Whether it sent a heartbeat in the last 30 seconds" }),
    startedAt: dateTime,
    seenAt: dateTime,
    taskId: z.string().nullable().meta({ description: "What it works on" }),
    taskSince: dateTime.nullable(),
    memoryBytes: z.int().meta({ description: "Of the worker and the processes below it" }),
    engineSeconds: z.number().meta({ description: "Seconds its engine has run since the start" }),
    audioSeconds: z.number().meta({ description: "Seconds of audio processed since the start" }),
    networks: z
      .array(
        z.object({
          name: z.string(),
          runsOn: z.string().meta({ description: "`cpu`, `cpu in bytes`, or a provider such as `webgpu`" }),
          timesRealTime: z.number().nullable().meta({ description: "Measured once on machines with a GPU" }),
        }),
      )
      .meta({ description: "What networks that GPUs can run have run on since the start" }),
    fault: z.string().nullable().meta({
      description: "Why it is paused, such as a disk that is nearly full; null while it takes Tasks",
    }),
    diskFreeBytes: z
      .int()
      .nullable()
      .meta({ description: "Free bytes on the fullest disk it writes to; null if unknown" }),
  })
  .meta({ id: "Worker" });
export type Worker = z.infer<typeof worker>;

export const queueState = z
  .object({
    name: z.string(),
    waiting: z.int(),
    active: z.int(),
    retrying: z.int().meta({ description: "Waiting for another attempt" }),
    completed: z.int().meta({ description: "Tasks that ended, since the service was set up" }),
    failed: z.int().meta({ description: "Of these, those given up after their last attempt" }),
    oldestWaitingAt: dateTime.nullable(),
    waitingWorkSeconds: z.number().meta({
      description: "Waiting work, in seconds of one worker at the measured speed of the live ones",
    }),
  })
  .meta({ id: "Queue" });
export type QueueState = z.infer<typeof queueState>;

export const serviceHealth = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({ description: "`degraded` if any part is not ok" }),
    database: z.object({ isOk: z.boolean(), latencyMs: z.number() }),
    disk: z.object({ isOk: z.boolean(), freeBytes: z.int(), totalBytes: z.int() }),
    queue: z.object({ waiting: z.int(), active: z.int(), oldestWaitingSeconds: z.number().nullable() }),
    workers: z.object({
      isOk: z.boolean().meta({ description: "Whether at least one is alive and none is paused" }),
      alive: z.int(),
      faults: z.array(z.string()).meta({ description: "Why live workers are paused" }),
    }),
    mediaSandbox: z.object({
      isOk: z.boolean().meta({ description: "Whether it is `required`" }),
      mode: z.enum(["required", "relaxed"]).meta({ description: "`MEDIA_SANDBOX`" }),
      layers: z.array(z.string()).meta({ description: "The protections in force on the machine of the API" }),
      gaps: z.array(z.string()).meta({ description: "What it does not protect, when it is `relaxed`" }),
    }),
  })
  .meta({ id: "ServiceHealth" });
export type ServiceHealth = z.infer<typeof serviceHealth>;
