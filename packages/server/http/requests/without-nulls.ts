/**
 * A body without its null fields. Many typed clients send null for absent fields, and null means nothing else in our interface.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field)]));
}

/** Deeper than any valid request. Thousands of levels would overflow the stack. */
const MAX_LEVELS = 100;

export function isNestedTooDeep(value: unknown, levelsLeft = MAX_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsLeft === 0 || Object.values(value).some((field) => isNestedTooDeep(field, levelsLeft - 1));
}
