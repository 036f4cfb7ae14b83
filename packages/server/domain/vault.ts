/** Encrypts what must not be readable from the database alone. The context is bound in: a text can't be moved elsewhere. */
export interface Vault {
  seal(text: string, context: string): Promise<Buffer>;
  unseal(sealed: Buffer, context: string): Promise<string>;
}
