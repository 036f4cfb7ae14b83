import { randomBytes } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { openVault } from "./open-vault.ts";

let keyFile: string;
beforeAll(async () => {
  keyFile = join(await makeTempDir("vault"), "below", "encryption.key");
});
const open = (key?: Buffer) => openVault({ key, keyFile });

describe("the vault", () => {
  it("[N2] decrypts what it encrypted, and the ciphertext reveals nothing", async () => {
    const vault = open(randomBytes(32));
    const sealed = await vault.seal("a secret", "integration 1");
    expect(sealed.toString("latin1")).not.toContain("secret");
    expect(await vault.unseal(sealed, "integration 1")).toBe("a secret");
    expect((await vault.seal("a secret", "integration 1")).equals(sealed)).toBe(false);
  });

  it("[N2] rejects ciphertext that was changed or encrypted for another context", async () => {
    const vault = open(randomBytes(32));
    const sealed = await vault.seal("a secret", "integration 1");
    await expect(vault.unseal(sealed, "integration 2")).rejects.toThrow();
    for (const at of [10, 25, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await expect(vault.unseal(changed, "integration 1")).rejects.toThrow();
    }
  });

  it("[N2] retries creating its key if that failed before", async () => {
    const folder = join(await makeTempDir("vault"), "below");
    const vault = openVault({ key: undefined, keyFile: join(folder, "encryption.key") });
    await writeFile(folder, "in the way");
    await expect(vault.seal("a secret", "x")).rejects.toThrow();
    await rm(folder);
    expect(await vault.unseal(await vault.seal("a secret", "x"), "x")).toBe("a secret");
  });

  it("[N2] creates its key once, in a file that only its owner can read", async () => {
    const sealed = await Promise.all([open(), open(), open()].map((vault) => vault.seal("a secret", "x")));
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32);
    for (const text of sealed) expect(await open().unseal(text, "x")).toBe("a secret");
  });

  it("[N2] says what to do if the key differs", async () => {
    const sealed = await open(randomBytes(32)).seal("a secret", "x");
    await expect(open(randomBytes(32)).unseal(sealed, "x")).rejects.toThrow("ENCRYPTION_KEY");
  });
});
