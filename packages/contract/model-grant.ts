import { z } from "zod";
import { creditAmount } from "./credit.ts";
import { MODEL_ACCESS } from "./model.ts";

export const modelGrantRequest = z
  .object({
    access: z.enum(MODEL_ACCESS).exactOptional().meta({ description: "Absent: as in the catalogue" }),
    creditsPerMinute: creditAmount.min(0).max(1_000_000).exactOptional().meta({
      description: "The negotiated rate; absent: as in the catalogue. Variants keep their ratio to it",
    }),
  })
  .meta({ id: "ModelGrantRequest" });
export type ModelGrantRequest = z.output<typeof modelGrantRequest>;
export type ModelGrantInput = z.input<typeof modelGrantRequest>;

export const modelGrant = z
  .object({
    model: z.string(),
    access: z.enum(MODEL_ACCESS).exactOptional(),
    creditsPerMinute: z.number().exactOptional(),
  })
  .meta({ id: "ModelGrant" });
export type ModelGrant = z.infer<typeof modelGrant>;
