/** Files sent together are identified by their Tasks' metadata: `batch k3f9x2: Album`. */
const PATTERN = /^batch ([a-z0-9]{6}): (.*)$/s;

export type Batch = { id: string; name: string };

/** Six characters, two billion values: unique enough within an account, and short. */
export function makeBatch(name: string): Batch {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return { id: [...bytes].map((byte) => (byte % 36).toString(36)).join(""), name };
}

export const toBatchMetadata = ({ id, name }: Batch) => `batch ${id}: ${name}`;

export function findBatch(metadata: string | undefined): Batch | undefined {
  const [, id, name] = PATTERN.exec(metadata ?? "") ?? [];
  return id === undefined || name === undefined ? undefined : { id, name };
}

/** The search text that finds all Tasks of a batch. */
export const toBatchSearch = (id: string) => `batch ${id}:`;

export const isBatchSearch = (search: string | undefined) => /^batch [a-z0-9]{6}:$/.test(search ?? "");
