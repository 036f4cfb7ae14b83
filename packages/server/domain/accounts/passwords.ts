import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type Gate, makeGate } from "../gate.ts";

const hashWithArgon2 = promisify(argon2);

/** Above OWASP's minimum for argon2id (19 MiB and two passes); 0.17 s on a 2.5 GHz Xeon core. */
const PARAMETERS = { memory: 32_768, passes: 3, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Each takes its memory and one of the four threads that also read files. */
const HASHES_AT_ONCE = 2;

type Parameters = { memory: number; passes: number; parallelism: number };

const toBase64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");

function parseHash(text: string): { parameters: Parameters; salt: Buffer; tag: Buffer } {
  const [, algorithm, version, numbers, salt = "", tag = ""] = text.split("$");
  const [, memory, passes, parallelism] = /^m=(\d+),t=(\d+),p=(\d+)$/.exec(numbers ?? "") ?? [];
  if (algorithm !== "argon2id" || version !== "v=19" || parallelism === undefined)
    throw new Error("the stored password hash is not argon2id");
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

export interface Passwords {
  /** For `asker`, an address or a person: nobody gets more than half of the places. */
  hash(password: string, asker: string): Promise<string>;
  /** Takes as long for a person without a password, or for nobody, as for a wrong one. */
  isRight(password: string, hash: string | null | undefined, asker: string): Promise<boolean>;
}

/** argon2id as PHC strings, this many at a time; a few more wait briefly in turns, the rest are refused as overload. */
export function makePasswords(
  gate: Gate = makeGate({ max: HASHES_AT_ONCE, waitersMax: HASHES_AT_ONCE * 16, waitMs: 5000 }),
): Passwords {
  const derive = async (
    password: string,
    { nonce, parameters, asker }: { nonce: Buffer; parameters: Parameters; asker: string },
  ): Promise<Buffer> => {
    const leave = await gate.enter(asker);
    try {
      // The same letters may be typed as different code points.
      const message = password.normalize("NFC");
      return await hashWithArgon2("argon2id", { message, nonce, tagLength: TAG_BYTES, ...parameters });
    } finally {
      leave();
    }
  };
  const hash = async (password: string, asker: string) => {
    const salt = randomBytes(SALT_BYTES);
    const tag = await derive(password, { nonce: salt, parameters: PARAMETERS, asker });
    const { memory, passes, parallelism } = PARAMETERS;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`;
  };

  return {
    hash,
    async isRight(password, known, asker) {
      if (known === null || known === undefined) {
        await derive(password, { nonce: randomBytes(SALT_BYTES), parameters: PARAMETERS, asker });
        return false;
      }
      const { parameters, salt, tag } = parseHash(known);
      return timingSafeEqual(await derive(password, { nonce: salt, parameters, asker }), tag);
    },
  };
}
