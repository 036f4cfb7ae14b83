/** The first cause that says what happened; connection errors come wrapped. */
export function findReason(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return findReason(error.errors[0]);
  if (error instanceof Error) return error.cause instanceof Error ? findReason(error.cause) : error;
  return new Error(String(error));
}
