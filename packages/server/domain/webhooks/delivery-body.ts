/** Limit for a logged body and its answer: fits a Task with 20 targets, and keeps either from filling the database. */
export const BODY_KEPT_CHARACTERS = 32_768;
export const ANSWER_KEPT_CHARACTERS = 1024;

/** The body sent by the last try of a delivery, and the text of the answer, if any. */
export type DeliveryBody = { body: string; answer?: string };

/** PostgreSQL can't store it. */
const NUL = "\0";

const cut = (text: string, characters: number) =>
  text.length > characters ? `${text.slice(0, characters)}…` : text;

/** A body for the log. Links need no key, so their signatures are removed, whoever signed them. */
export function toKeptBody(content: unknown): string {
  const text = JSON.stringify(content, (key, value: unknown) =>
    key === "link" && typeof value === "string" ? value.replace(/\?.*$/s, "?…") : value,
  );
  return cut(text.replaceAll("\\u0000", ""), BODY_KEPT_CHARACTERS);
}

export const toKeptAnswer = (answer: string): string =>
  cut(answer.replaceAll(NUL, ""), ANSWER_KEPT_CHARACTERS);
