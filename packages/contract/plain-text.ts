import { z } from "zod";

/** Text a database can hold: without NUL. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\0"), "must not contain the NUL character");
