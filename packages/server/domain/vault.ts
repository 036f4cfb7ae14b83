/** Encrypts what must not be readable from the database alone. The context is authenticated: ciphertext can't be moved elsewhere. */
export interface Vault {
  seal(text: string, context: string): Promise<Buffer>;
  /** Fails with WrongVaultKey where it was encrypted under another key. */
  unseal(sealed: Buffer, context: string): Promise<string>;
  /** Whether it was encrypted under this key. */
  isOurs(sealed: Buffer): Promise<boolean>;
}

/** For the operator to fix: the machines of an installation do not share a key. */
export class WrongVaultKey extends Error {
  override readonly name = "WrongVaultKey";

  constructor() {
    super(
      "a secret was encrypted with another key: give every machine the same ENCRYPTION_KEY, or the same DATA_DIR",
    );
  }
}
