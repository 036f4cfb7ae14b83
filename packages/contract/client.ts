import { z } from "zod";
import { credits } from "./credit.ts";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

const name = plainText(200).min(1).meta({ description: "For people; need not be unique", example: "Acme" });
const metered = z
  .boolean()
  .meta({ description: "Whether Tasks are refused when the client's credits do not cover them" });

const weight = z.int().min(1).max(100).meta({
  description:
    "Share of the queue's capacity, relative to a client of weight 1, while both have Tasks waiting",
});
const MAX_TASKS = 1_000_000_000;
const tasksMax = z.int().min(0).max(MAX_TASKS);
const givenMax = (what: string, setting: string) =>
  z
    .union([tasksMax, z.literal("default")], `must be a whole number from 0 to ${MAX_TASKS}, or "default"`)
    .exactOptional()
    .meta({ description: `Tasks that may ${what} at once; 0 = no limit, "default" = as ${setting} says` });
const shownMax = (setting: string) =>
  tasksMax.nullable().meta({ description: `Null where ${setting} applies` });

const quotaBytes = z.int().min(0);

/** A client's queue limits and storage quota; omitted fields keep their value or the default. */
const limits = {
  weight: weight.exactOptional(),
  runningMax: givenMax("run", "CLIENT_RUNNING_MAX"),
  waitingMax: givenMax("wait", "CLIENT_WAITING_MAX"),
  storageQuotaBytes: z
    .union([quotaBytes, z.literal("default")], 'must be a whole number from 0, or "default"')
    .exactOptional()
    .meta({
      description:
        'Bytes that its assets, outputs and work in progress may take; 0 = no limit, "default" = as STORAGE_QUOTA_BYTES says',
    }),
};

export const clientRequest = z
  .object({
    name,
    metered: metered.default(false),
    ...limits,
  })
  .meta({ id: "ClientRequest" });
export type ClientRequest = z.output<typeof clientRequest>;
/** As a caller may send it: fields with a default are optional. */
export type ClientInput = z.input<typeof clientRequest>;

export const clientChange = z
  .object({
    name: name.exactOptional(),
    metered: metered.exactOptional(),
    ...limits,
  })
  .meta({ id: "ClientChange" });
export type ClientChange = z.output<typeof clientChange>;
export type ClientChangeInput = z.input<typeof clientChange>;

export const client = z
  .object({
    id,
    name: z.string(),
    metered: z.boolean(),
    createdAt: dateTime,
    suspendedAt: dateTime.nullable().meta({ description: "Null while the client may make requests" }),
    weight,
    runningMax: shownMax("CLIENT_RUNNING_MAX"),
    waitingMax: shownMax("CLIENT_WAITING_MAX"),
    storageQuotaBytes: quotaBytes.nullable().meta({ description: "Null where STORAGE_QUOTA_BYTES applies" }),
    storage: z
      .object({
        assetsBytes: z.int(),
        outputsBytes: z.int(),
        heldBytes: z.int().meta({
          description: "Set aside for uploads on their way and work in progress, of clients with a quota",
        }),
      })
      .meta({ id: "StorageUse", description: "Storage used, in bytes" }),
    credits,
  })
  .meta({ id: "Client" });
export type Client = z.infer<typeof client>;
