import { z } from "zod";

/** Text a database can store: without NUL. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\0"), "must not contain the NUL character");
