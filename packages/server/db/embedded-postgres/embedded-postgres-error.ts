type EmbeddedPostgresErrorCode =
  | "platform_unsupported"
  | "data_dir_in_use"
  | "data_dir_unusable"
  | "data_dir_of_another_user"
  | "major_version_mismatch"
  | "disk_full"
  | "setup_failed"
  | "start_failed"
  | "server_ended";

/** The message is shown to whoever started the service: what is wrong and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
