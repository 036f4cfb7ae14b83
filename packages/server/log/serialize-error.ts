const MAX_CAUSES = 5;

type SerializedError = {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: SerializedError;
};

/** An error for the log: message, stack and causes. Nothing else: pg's errors include the connection and the key that cancels its queries. */
export function serializeError(error: unknown, causesMax = MAX_CAUSES): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  const cause = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return {
    type: name,
    message,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || causesMax === 0 ? {} : { cause: serializeError(cause, causesMax - 1) }),
  };
}
