import { randomBytes } from "node:crypto";

// Crockford's alphabet, lower case: no letter that looks like a digit.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH = 26;

/** 130 random bits: opaque, unguessable, URL-safe. */
export function makeId(): string {
  let id = "";
  for (const byte of randomBytes(ID_LENGTH)) id += ALPHABET[byte & 31];
  return id;
}

/** Whether a text from outside can be an id at all; if not, the database is not asked. */
export function isId(text: string): boolean {
  return /^[0-9a-z_-]{3,60}$/.test(text);
}
