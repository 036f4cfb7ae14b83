import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeId } from "../../domain/ids.ts";
import { type Vault, WrongVaultKey } from "../../domain/vault.ts";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FINGERPRINT_BYTES = 8;

const fingerprintOf = (key: Buffer) =>
  createHash("sha256").update("stemwright key").update(key).digest().subarray(0, FINGERPRINT_BYTES);

/** The key in the file, which is created at its first use; of several processes that create it at once, one wins. */
async function loadKeyFile(path: string): Promise<Buffer> {
  const partialPath = `${path}.${makeId()}`;
  const read = async () => Buffer.from(await readFile(path, "utf8"), "base64");
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(partialPath, `${randomBytes(KEY_BYTES).toString("base64")}\n`, {
      mode: 0o600,
      flush: true,
    });
    await link(partialPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(partialPath, { force: true });
  }
  return await read();
}

/**
 * Encrypts with AES-256-GCM under the installation's key, which is never in the database, so a copy of the database reveals no secret. Ciphertext is the
 * key's fingerprint, nonce, tag, encrypted text.
 */
export function openVault(options: { key: Buffer | undefined; keyFile: string }): Vault {
  let loading: Promise<Buffer> | undefined;
  const getKey = async () => {
    loading ??= options.key ? Promise.resolve(options.key) : loadKeyFile(options.keyFile);
    try {
      return await loading;
    } catch (error) {
      // The disk may have been full: the next caller retries.
      loading = undefined;
      throw error;
    }
  };

  const isUnder = (key: Buffer, sealed: Buffer) =>
    sealed.subarray(0, FINGERPRINT_BYTES).equals(fingerprintOf(key));

  return {
    isOurs: async (sealed) => isUnder(await getKey(), sealed),
    async seal(text, context) {
      const key = await getKey();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([fingerprintOf(key), nonce, cipher.getAuthTag(), ciphertext]);
    },
    async unseal(sealed, context) {
      const key = await getKey();
      if (!isUnder(key, sealed)) throw new WrongVaultKey();
      const nonceEnd = FINGERPRINT_BYTES + NONCE_BYTES;
      const tagEnd = nonceEnd + TAG_BYTES;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(FINGERPRINT_BYTES, nonceEnd), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd));
      return decipher.update(sealed.subarray(tagEnd), undefined, "utf8") + decipher.final("utf8");
    },
  };
}
