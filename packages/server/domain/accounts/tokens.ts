import { randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** A secret for a cookie or a link; only its hash is stored. */
export const makeToken = () => randomBytes(TOKEN_BYTES).toString("base64url");
