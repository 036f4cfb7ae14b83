import { z } from "zod";

/**
 * Every error of the HTTP interface: its status, and when it is returned.
 * The page docs/errors.md lists the same codes; a test holds the two equal.
 */
export const API_ERRORS = {
  REQUEST_INVALID: {
    statusCode: 400,
    when: "A field is missing, has the wrong type or is out of range; `details` names it.",
  },
  BODY_NOT_JSON: { statusCode: 400, when: "The body is not valid JSON in UTF-8." },
  PAGE_INVALID: {
    statusCode: 400,
    when: "`skip` must be a whole number from 0, `take` one from 1 to 100.",
  },
  STATISTICS_INVALID: {
    statusCode: 400,
    when: "`name` must be `usage` or `distribution`, `months` a whole number from 1 to 999.",
  },
  INPUT_MISSING: { statusCode: 400, when: "Neither `assetId` nor `url` was given." },
  INPUT_AMBIGUOUS: { statusCode: 400, when: "Both `assetId` and `url` were given." },
  TARGETS_TOO_FEW: { statusCode: 400, when: "`targets` is empty." },
  TARGETS_TOO_MANY: { statusCode: 400, when: "`targets` has more than 20 elements." },
  TARGETS_DUPLICATE: { statusCode: 400, when: "Two targets are equal in all fields." },
  MODEL_UNKNOWN: { statusCode: 400, when: "A target names a model that is not in the catalogue." },
  SPEAKERS_NOT_ALLOWED: {
    statusCode: 400,
    when: "A target requests speakers or their names, but its model writes no words; or names without speakers.",
  },
  VARIANT_UNKNOWN: { statusCode: 400, when: "A target names a variant that its model does not have." },
  FORMATS_EMPTY: { statusCode: 400, when: "A target requests no format." },
  FORMATS_DUPLICATE: { statusCode: 400, when: "A target requests the same format twice." },
  FORMAT_UNSUPPORTED: {
    statusCode: 400,
    when: "A target requests a format that its model does not produce, or that can't hold this asset's output.",
  },
  LANGUAGE_UNSUPPORTED: {
    statusCode: 400,
    when: "A target names a language that its model does not support, or its model takes none.",
  },
  FIELD_NOT_ALLOWED: {
    statusCode: 400,
    when: "A target has a field that its model does not take; `message` says which models take it.",
  },
  TRANSCRIPT_NOT_ALLOWED: {
    statusCode: 400,
    when: "A transcript is for `alignment` only, may be given once, and must be a txt or json file.",
  },
  TRANSCRIPT_UNUSABLE: {
    statusCode: 400,
    when: "The transcript's asset is blank, or not readable text in UTF-8 or UTF-16.",
  },
  METADATA_TOO_LONG: { statusCode: 400, when: "`metadata` is longer than 4096 characters." },
  URL_INVALID: {
    statusCode: 400,
    when: "A URL can't be parsed, or its scheme is not one that the field takes.",
  },
  URL_NOT_ALLOWED: {
    statusCode: 400,
    when: "A URL points at a private, loopback or link-local address that is not on the allow-list, or is plain http.",
  },
  STORAGE_INTEGRATION_REQUIRED: {
    statusCode: 400,
    when: "A bucket URL or a `writeDestination` was given without `storageIntegrationId`.",
  },
  STORAGE_INTEGRATION_UNKNOWN: {
    statusCode: 404,
    when: "The account has no storage integration with that id.",
  },
  STORAGE_BUCKET_MISMATCH: {
    statusCode: 400,
    when: "The bucket of `url`, `transcriptUrl` or `writeDestination` is not the storage integration's.",
  },
  WRITE_DESTINATION_INVALID: {
    statusCode: 400,
    when: "`writeDestination` is not a bucket URL, the input is not one, or two outputs would have the same object name.",
  },
  ASSET_UNKNOWN: {
    statusCode: 404,
    when: "`assetId` or `transcriptAssetId` is not an asset of the account.",
  },
  MEDIA_UNREADABLE: { statusCode: 400, when: "The asset is not readable audio or video." },
  MEDIA_NO_AUDIO: { statusCode: 400, when: "The asset has no audio." },
  MEDIA_TOO_LONG: { statusCode: 400, when: "The asset is longer than a target's model allows." },
  MEDIA_TOO_LARGE: {
    statusCode: 400,
    when: "The asset, once decoded, is larger than the server allows.",
  },
  WORDS_INVALID: {
    statusCode: 400,
    when: "Edited words overlap, are out of order or outside the recording, or a gap is invalid.",
  },
  UPLOAD_FILE_MISSING: { statusCode: 400, when: "An upload has no file part named `file`." },
  UPLOAD_FILE_EXTRA: { statusCode: 400, when: "An upload has more than one file part." },
  UPLOAD_EMPTY: { statusCode: 400, when: "The uploaded file is empty." },
  UPLOAD_FORMAT_UNSUPPORTED: {
    statusCode: 400,
    when: "Neither the uploaded file's name nor its type or content indicates a supported format.",
  },
  UPLOAD_BROKEN: { statusCode: 400, when: "The upload broke off; nothing was kept." },
  LINK_FETCH_FAILED: {
    statusCode: 400,
    when: "The file behind the link of `POST /upload/link` can't be fetched.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    statusCode: 400,
    when: "The `Idempotency-Key` is not 1 to 255 printable ASCII characters.",
  },
  KEY_MISSING: {
    statusCode: 401,
    when: "The request has no `x-api-key` header, or no bearer token on a route of the Jobs interface.",
  },
  KEY_INVALID: { statusCode: 401, when: "The key is unknown or revoked." },
  SESSION_INVALID: {
    statusCode: 401,
    when: "The dashboard session has expired or was revoked. Sign in again.",
  },
  SIGN_IN_FAILED: { statusCode: 401, when: "The email address or the password is wrong." },
  CREDITS_INSUFFICIENT: {
    statusCode: 402,
    when: "The Task's estimate, or the credits to withdraw, exceed the available credits.",
  },
  MODEL_NOT_GRANTED: {
    statusCode: 403,
    when: "The account has no access to the model or variant, which is installed: its `access` is `requestAccess`.",
  },
  CLIENT_SUSPENDED: { statusCode: 403, when: "The account is suspended." },
  ADMIN_REQUIRED: { statusCode: 403, when: "The route needs a key with the role `admin`." },
  PERSON_REQUIRED: {
    statusCode: 403,
    when: "The route needs a signed-in person; some also accept keys with the role `admin`.",
  },
  OWNER_REQUIRED: { statusCode: 403, when: "Only owners of the account may do this." },
  PASSWORD_WRONG: { statusCode: 403, when: "`currentPassword` is missing or wrong." },
  SIGN_IN_TOO_OLD: {
    statusCode: 403,
    when: "Setting a first password, or another email address without having one, needs a new sign-in.",
  },
  SIGN_IN_LINK_INVALID: {
    statusCode: 403,
    when: "A one-time sign-in link was already used, has expired or is unknown; `npm run sign-in` prints another.",
  },
  INVITATION_INVALID: {
    statusCode: 403,
    when: "An invitation was accepted or withdrawn, has expired or is unknown, or is for another email address.",
  },
  LINK_INVALID: {
    statusCode: 403,
    when: "A download link was changed or has expired, or the share it is from has ended.",
  },
  NOT_FOUND: { statusCode: 404, when: "No such route, or no such resource in the account." },
  WORDS_UNKNOWN: {
    statusCode: 404,
    when: "The target has no words: it is not text, has not completed, or its words were removed.",
  },
  SHARE_UNKNOWN: { statusCode: 404, when: "The share link is unknown, revoked or expired." },
  METHOD_NOT_ALLOWED: {
    statusCode: 405,
    when: "The route does not support that method; `Allow` lists those it does.",
  },
  REQUEST_TIMEOUT: { statusCode: 408, when: "The request took too long to arrive." },
  SELF_LOCKOUT: {
    statusCode: 409,
    when: "An administrator may not suspend their own account or revoke the key in use.",
  },
  EMAIL_TAKEN: { statusCode: 409, when: "Another person has that email address." },
  EMAIL_RESERVED: {
    statusCode: 409,
    when: "The address is of a domain in `OIDC_DOMAINS`, which belongs to the first account.",
  },
  LAST_OWNER: { statusCode: 409, when: "The account's last owner can't be removed or become a member." },
  IDEMPOTENCY_CONFLICT: {
    statusCode: 409,
    when: "The `Idempotency-Key` was used within the last 24 hours with another body, or by another key or person of the account.",
  },
  MODEL_NOT_INSTALLED: {
    statusCode: 409,
    when: "This installation has no network for the model or variant: it can be neither run nor granted.",
  },
  UPLOAD_OFFSET_WRONG: {
    statusCode: 409,
    when: "`Upload-Offset` is not the number of bytes that are stored; `HEAD` or `GET /uploads/{id}` returns it.",
  },
  UPLOAD_TAKEN_OVER: { statusCode: 409, when: "Another request continued or removed the upload meanwhile." },
  UPLOAD_INCOMPLETE: { statusCode: 409, when: "Bytes or parts of the upload are missing." },
  DIRECT_UPLOADS_OFF: {
    statusCode: 409,
    when: "The installation takes no uploads into its bucket: it has none, or `S3_PRESIGNED_LINKS` is off.",
  },
  STORAGE_INTEGRATION_IN_USE: { statusCode: 409, when: "An unfinished Task uses the storage integration." },
  WORDS_CHANGED: {
    statusCode: 409,
    when: "The words were edited since the revision that this edit is based on.",
  },
  SHARES_TOO_MANY: { statusCode: 409, when: "The Task has reached its limit of share links." },
  WEBHOOK_DISABLED: {
    statusCode: 409,
    when: "The account's webhook URL is disabled or removed; `POST /webhooks` sets it again.",
  },
  TASK_CANCELLED: {
    statusCode: 409,
    when: "The Task of a `/v1` or `/asr` request was cancelled or deleted by another request.",
  },
  TUS_VERSION_UNSUPPORTED: { statusCode: 412, when: "`Tus-Resumable` is not `1.0.0`." },
  BODY_TOO_LARGE: { statusCode: 413, when: "A JSON body is over 1 MiB, or 8 MiB for edited words." },
  UPLOAD_TOO_LARGE: { statusCode: 413, when: "The uploaded file is over the limit." },
  STORAGE_QUOTA_EXCEEDED: {
    statusCode: 413,
    when: "The account's storage quota has no room for it; assets, outputs and work in progress count.",
  },
  CONTENT_TYPE_UNSUPPORTED: {
    statusCode: 415,
    when: "The route does not accept that content type.",
  },
  RANGE_INVALID: { statusCode: 416, when: "A `Range` header is outside the file." },
  RATE_LIMITED: {
    statusCode: 429,
    when: "Too many requests a second from this key, or this address without a valid key; see `Retry-After`.",
  },
  SIGN_IN_THROTTLED: {
    statusCode: 429,
    when: "Too many failed attempts from that address, for that account or in that session; see `Retry-After`.",
  },
  TASKS_WAITING_TOO_MANY: {
    statusCode: 429,
    when: "The account has reached its limit of waiting Tasks; see `Retry-After`.",
  },
  REALIGNMENTS_TOO_MANY: {
    statusCode: 429,
    when: "The account has reached its limit of waiting realignments; see `Retry-After`.",
  },
  UPLOADS_TOO_MANY: {
    statusCode: 429,
    when: "The account has reached its limit of unfinished uploads; finish or delete some.",
  },
  STREAMS_TOO_MANY: {
    statusCode: 429,
    when: "The account has reached its limit of event streams; close some, or poll the Task instead.",
  },
  HEADERS_TOO_LARGE: { statusCode: 431, when: "The request's headers are over 16 KiB." },
  INTERNAL: { statusCode: 500, when: "Something failed on our side; the log has the `requestId`." },
  STORAGE_FULL: {
    statusCode: 503,
    when: "The server's disk is full or nearly so; nothing of the request was kept.",
  },
  NOT_SET_UP: {
    statusCode: 503,
    when: "The operator must add credentials or a certificate authority; the log says which.",
  },
  OVERLOADED: {
    statusCode: 503,
    when: "The service is overloaded and did nothing for this request; see `Retry-After`.",
  },
  QUEUE_SLOW: {
    statusCode: 503,
    when: "The Task of a `/v1` or `/asr` request did not start in time and was cancelled; see `Retry-After`.",
  },
  UNAVAILABLE: {
    statusCode: 503,
    when: "The service, its database or the bucket of a file is unreachable, starting or shutting down; see `Retry-After`.",
  },
  WAIT_TOO_LONG: {
    statusCode: 504,
    when: "The Task of a `/v1` or `/asr` request did not finish in time and was cancelled; use `POST /tasks` for long audio.",
  },
} as const satisfies Record<string, { statusCode: number; when: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

export const apiErrorDetail = z.object({ path: z.string(), message: z.string() });
export type ApiErrorDetail = z.infer<typeof apiErrorDetail>;

export const apiErrorBody = z
  .object({
    statusCode: z.int(),
    error: z.string().meta({ description: "Text of the status code" }),
    code: z.enum(Object.keys(API_ERRORS) as [ApiErrorCode, ...ApiErrorCode[]]),
    message: z.string().meta({ description: "A sentence a person can act on" }),
    details: z.array(apiErrorDetail).meta({ description: "The invalid fields; empty if none" }),
    requestId: z.string(),
  })
  .meta({ id: "Error", description: "The body of every failed request" });
export type ApiErrorBody = z.infer<typeof apiErrorBody>;

/** A failure that is the caller's to see. Thrown anywhere in the server, mapped to a response in one place. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  readonly statusCode: number;
  readonly details: ApiErrorDetail[] | undefined;

  constructor(code: ApiErrorCode, message: string, details?: ApiErrorDetail[]) {
    super(message);
    this.code = code;
    this.statusCode = API_ERRORS[code].statusCode;
    this.details = details;
  }
}
