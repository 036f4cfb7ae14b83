import { z } from "zod";

export const statisticsQuery = z.object({
  name: z.enum(["usage", "distribution"]).default("usage"),
  months: z
    .string()
    .regex(/^\d{1,3}$/, "must be a whole number")
    .transform(Number)
    .optional(),
});

const totals = {
  totalTargets: z.int(),
  totalMinutes: z
    .string()
    .regex(/^\d+\.\d{2}$/)
    .meta({ description: "Two decimals", example: "12.50" }),
};

export const usageRow = z
  .object({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .meta({ example: "2026-01" }),
    ...totals,
  })
  .meta({ id: "UsageRow" });
export type UsageRow = z.infer<typeof usageRow>;

export const distributionRow = z
  .object({ model: z.string(), ...totals, totalCredits: z.number() })
  .meta({ id: "DistributionRow" });
export type DistributionRow = z.infer<typeof distributionRow>;
