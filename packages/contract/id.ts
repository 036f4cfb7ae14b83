import { z } from "zod";

/** Ids are opaque; a malformed one is treated as unknown. */
export const id = z
  .string()
  .meta({ description: "Opaque identifier", example: "4k2v9w0tq8c6m1xn7d3rj5hzba" });

export const idParams = z.object({ id: z.string().min(1) });

/** In a request: midnight in UTC if it is only a date. */
export const moment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "must be a date, such as 2026-01-31 or 2026-01-31T09:30:00Z",
);

export const dateTime = z.iso.datetime({ precision: 3 }).meta({ example: "2026-01-31T09:30:00.000Z" });
