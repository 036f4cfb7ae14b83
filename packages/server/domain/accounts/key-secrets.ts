import { createHash, randomInt } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_PREFIX = "sw_";
const KEY_LENGTH = 40;

/** A new key: a token with a prefix that secret scanners can recognise. */
export function makeKey(): string {
  return KEY_PREFIX + makeKeyToken();
}

/** 238 random bits. */
export function makeKeyToken(): string {
  return Array.from({ length: KEY_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
}

export function hashKey(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
