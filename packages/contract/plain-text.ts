import { z } from "zod";

/** Text that a column of text or of JSON as text can store: without NUL. */
export const storableText = z
  .string()
  .refine((text) => !text.includes("\0"), "must not contain the NUL character");

/** Text for any column. jsonb refuses lone surrogates, and a column of text would replace them. */
export const plainText = (maxLength: number) =>
  storableText
    .max(maxLength)
    .refine(
      (text) => text.isWellFormed(),
      "must be well-formed Unicode; it contains half of a surrogate pair",
    );

/** The id of something else in a request. An empty one is a mistake; any other that nothing has is unknown. */
export const givenId = plainText(60).min(1, "must not be empty");
