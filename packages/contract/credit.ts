import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

/** More than any account holds; with six decimals it is still exact as a number. */
export const MAX_CREDITS = 1_000_000_000;
const MICROS_PER_CREDIT = 1_000_000;

const hasSixDecimals = (amount: number) => {
  const micros = amount * MICROS_PER_CREDIT;
  // Decimals are not exact in binary: a value within rounding error of a whole millionth counts as one.
  return Math.abs(micros - Math.round(micros)) <= Math.abs(micros) * 2 * Number.EPSILON;
};

/** An amount of credits as a client may write it. */
export const creditAmount = z
  .number()
  .min(-MAX_CREDITS)
  .max(MAX_CREDITS)
  .refine(hasSixDecimals, "must have at most six decimals");

export const credits = z
  .object({
    balance: z.number().meta({ description: "The sum of the ledger" }),
    reserved: z.number().meta({ description: "Set aside for Tasks that have not ended" }),
    available: z.number().meta({ description: "Balance less reserved: what a new Task may cost" }),
  })
  .meta({ id: "Credits" });
export type Credits = z.infer<typeof credits>;

export const accountCredits = credits
  .extend({
    metered: z.boolean().meta({ description: "Whether Tasks are refused that the credits do not cover" }),
  })
  .meta({ id: "AccountCredits" });
export type AccountCredits = z.infer<typeof accountCredits>;

export const CREDIT_ENTRY_KINDS = ["grant", "charge", "refund"] as const;
export type CreditEntryKind = (typeof CREDIT_ENTRY_KINDS)[number];

export const creditGrantRequest = z
  .object({
    amount: creditAmount
      .refine((amount) => amount !== 0, "must not be 0")
      .meta({ description: "Credits; a negative grant takes back", example: 500 }),
    kind: z.enum(["grant", "refund"]).default("grant"),
    note: plainText(1000).min(1).meta({ description: "Reason, shown in the ledger", example: "Invoice 17" }),
  })
  .refine(({ kind, amount }) => kind === "grant" || amount > 0, {
    path: ["amount"],
    error: "a refund is positive",
  })
  .meta({ id: "CreditGrantRequest" });
export type CreditGrantRequest = z.output<typeof creditGrantRequest>;
export type CreditGrantInput = z.input<typeof creditGrantRequest>;

export const creditEntry = z
  .object({
    id,
    kind: z.enum(CREDIT_ENTRY_KINDS),
    amount: z.number().meta({ description: "Negative for charges" }),
    balanceAfter: z.number(),
    note: z.string().exactOptional(),
    taskId: z.string().exactOptional().meta({ description: "Only of charges" }),
    targetId: z.string().exactOptional().meta({ description: "Only of charges" }),
    keyId: z
      .string()
      .exactOptional()
      .meta({ description: "The administrator's key, or the person; not of charges" }),
    createdAt: dateTime,
  })
  .meta({ id: "CreditEntry" });
export type CreditEntry = z.infer<typeof creditEntry>;
