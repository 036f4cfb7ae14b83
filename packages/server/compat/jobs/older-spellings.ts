type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Validation drops null fields too, but only later: until then they would hide the older ones. */
const dropNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/**
 * The body of a job in its current spelling. Public clients still send `stemMetadata: { stemName, format }` for `metadata: { name, format }`, and an empty
 * `callbackUrl` for none.
 */
export function toCurrentSpelling(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { stemMetadata, callbackUrl, ...rest } = dropNulls(body);
  return {
    ...(isObject(stemMetadata) ? { metadata: toMetadata(dropNulls(stemMetadata)) } : {}),
    ...rest,
    ...(callbackUrl === "" || callbackUrl === undefined ? {} : { callbackUrl }),
  };
}

function toMetadata({ stemName, ...rest }: Fields): Fields {
  return { ...(stemName === undefined ? {} : { name: stemName }), ...rest };
}
