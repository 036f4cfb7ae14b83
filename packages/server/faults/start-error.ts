/** The message is shown to whoever started the service: it says what is wrong and what to do about it. */
export class StartError extends Error {
  override readonly name = "StartError";
}
