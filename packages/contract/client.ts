import { z } from "zod";
import { credits } from "./credits.ts";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

const name = plainText(200).min(1).meta({ description: "For people; need not be unique", example: "Acme" });
const metered = z
  .boolean()
  .meta({ description: "Whether Tasks are refused when the client's credits do not cover them" });

export const clientRequest = z
  .object({ name, metered: metered.default(false) })
  .meta({ id: "ClientRequest" });
export type ClientRequest = z.output<typeof clientRequest>;

export const clientChange = z
  .object({ name: name.exactOptional(), metered: metered.exactOptional() })
  .meta({ id: "ClientChange" });
export type ClientChange = z.output<typeof clientChange>;

export const client = z
  .object({
    id,
    name: z.string(),
    metered: z.boolean(),
    createdAt: dateTime,
    suspendedAt: dateTime.nullable().meta({ description: "Null while the client may make requests" }),
    credits,
  })
  .meta({ id: "Client" });
export type Client = z.infer<typeof client>;
