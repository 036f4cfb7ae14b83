import { z } from "zod";

/**
 * Query parameters are text; anything but an integer is left for the schema to refuse. No list is as long as the largest safe integer, so
 * larger numbers are clamped to it.
 */
const fromText = (value: unknown) =>
  typeof value === "string" && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value;

const wholeNumber = (options: { min: number; max?: number; default: number; description: string }) => {
  const { min, max, description } = options;
  const message =
    max === undefined ? `must be a whole number from ${min}` : `must be a whole number from ${min} to ${max}`;
  return z
    .preprocess(
      fromText,
      z
        .int(message)
        .min(min, message)
        .max(max ?? Number.MAX_SAFE_INTEGER, message),
    )
    .default(options.default)
    .meta({ description, type: "integer", minimum: min, ...(max === undefined ? {} : { maximum: max }) });
};

/** The two query parameters of every list. */
export const pageQuery = z.object({
  skip: wholeNumber({ min: 0, default: 0, description: "Records to skip" }),
  take: wholeNumber({ min: 1, max: 100, default: 10, description: "Page size" }),
});
export type PageQuery = z.output<typeof pageQuery>;
