/** What is kept of a body and of its answer: a Task with 20 targets fits, and nobody fills the database with either. */
export const BODY_KEPT_CHARACTERS = 32_768;
export const ANSWER_KEPT_CHARACTERS = 1024;

/** What the last try of a delivery sent, and the text of the answer where one came. */
export type DeliveryBody = { body: string; answer?: string };

/** PostgreSQL keeps no such character. */
const NUL = "\0";

const cut = (text: string, characters: number) =>
  text.length > characters ? `${text.slice(0, characters)}…` : text;

/** A body as the log keeps it. Links open what they lead to without a key: their signatures are left out, whoever signed them. */
export function toKeptBody(content: unknown): string {
  const text = JSON.stringify(content, (key, value: unknown) =>
    key === "link" && typeof value === "string" ? value.replace(/\?.*$/s, "?…") : value,
  );
  return cut(text.replaceAll("\\u0000", ""), BODY_KEPT_CHARACTERS);
}

export const toKeptAnswer = (answer: string): string =>
  cut(answer.replaceAll(NUL, ""), ANSWER_KEPT_CHARACTERS);
