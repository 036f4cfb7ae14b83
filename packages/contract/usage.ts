import { z } from "zod";

export const STATISTICS_NAMES = ["usage", "distribution"] as const;
const MONTHS_MESSAGE = "must be a whole number from 1 to 999";

export const statisticsQuery = z.object({
  name: z
    .enum(STATISTICS_NAMES, `must be one of ${STATISTICS_NAMES.join(", ")}`)
    .default("usage")
    .meta({ description: "Which statistics" }),
  months: z
    .string(MONTHS_MESSAGE)
    .regex(/^0*[1-9]\d{0,2}$/, MONTHS_MESSAGE)
    .transform(Number)
    .optional()
    .meta({ description: "Number of months, including the current one; defaults to all" }),
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
