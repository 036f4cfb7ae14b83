import { z } from "zod";

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number)
  .or(z.int());

/** The two query parameters of every list. */
export const pageQuery = z.object({
  skip: wholeNumber
    .pipe(z.int().min(0, "must be 0 or more"))
    .default(0)
    .meta({ description: "Records to skip", type: "integer", minimum: 0, default: 0 }),
  take: wholeNumber
    .pipe(z.int().min(1, "must be 1 to 100").max(100, "must be 1 to 100"))
    .default(10)
    .meta({ description: "Page size", type: "integer", minimum: 1, maximum: 100, default: 10 }),
});
export type Page = z.output<typeof pageQuery>;
