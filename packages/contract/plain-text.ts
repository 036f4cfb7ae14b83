import { z } from "zod";

/** Text a database can store: without NUL. */
export const anyText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\0"), "must not contain the NUL character");

/** Text that jsonb can store, too: without lone surrogates. */
export const plainText = (maxLength: number) =>
  anyText(maxLength).refine(
    (text) => text.isWellFormed(),
    "must be well-formed Unicode; it contains half of a surrogate pair",
  );
