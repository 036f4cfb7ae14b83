import { z } from "zod";

/**
 * Every error the HTTP interface can answer with: its status, and when it is given.
 * The page docs/errors.md lists the same codes; a test holds the two equal.
 */
export const API_ERRORS = {
  REQUEST_INVALID: {
    statusCode: 400,
    when: "A field is missing, of the wrong type or out of its range; `details` names it.",
  },
  BODY_NOT_JSON: { statusCode: 400, when: "The body is not valid JSON in UTF-8." },
  PAGE_INVALID: {
    statusCode: 400,
    when: "`skip` is not a whole number from 0, or `take` not one from 1 to 100.",
  },
  STATISTICS_INVALID: {
    statusCode: 400,
    when: "`name` is neither `usage` nor `distribution`, or `months` not a whole number from 1 to 999.",
  },
  INPUT_MISSING: { statusCode: 400, when: "Neither `assetId` nor `url` was given." },
  INPUT_AMBIGUOUS: { statusCode: 400, when: "Both `assetId` and `url` were given." },
  TARGETS_TOO_FEW: { statusCode: 400, when: "`targets` is empty." },
  TARGETS_TOO_MANY: { statusCode: 400, when: "`targets` has more than 20 elements." },
  TARGETS_DUPLICATE: { statusCode: 400, when: "Two targets are equal in all fields." },
  MODEL_UNKNOWN: { statusCode: 400, when: "A target names a model that is not in the catalogue." },
  SPEAKERS_NOT_ALLOWED: {
    statusCode: 400,
    when: "A target asks for speakers, or their names, whose model writes no words; or for names without speakers.",
  },
  VARIANT_UNKNOWN: { statusCode: 400, when: "A target names a variant its model does not have." },
  FORMATS_EMPTY: { statusCode: 400, when: "A target asks for no format." },
  FORMATS_DUPLICATE: { statusCode: 400, when: "A target asks for the same format twice." },
  FORMAT_UNSUPPORTED: {
    statusCode: 400,
    when: "A target asks for a format its model does not make, or that can't hold what is made of the asset.",
  },
  LANGUAGE_UNSUPPORTED: {
    statusCode: 400,
    when: "A target names a language its model does not know, or its model takes none.",
  },
  FIELD_NOT_ALLOWED: {
    statusCode: 400,
    when: "A target has a field that its model does not take: `prompt`, `keywords`, `maxLineLength` and `maxLines` are for `transcription` and `alignment`, `translate` is for `transcription`.",
  },
  TRANSCRIPT_NOT_ALLOWED: {
    statusCode: 400,
    when: "A transcript was given to a model other than `alignment`, was given twice, or is no txt or json file.",
  },
  TRANSCRIPT_UNUSABLE: {
    statusCode: 400,
    when: "The transcript's asset is blank, or not text in UTF-8 or UTF-16 that can be read.",
  },
  METADATA_TOO_LONG: { statusCode: 400, when: "`metadata` is longer than 4096 characters." },
  URL_INVALID: {
    statusCode: 400,
    when: "A URL is not one the service can read, or its scheme is not allowed.",
  },
  URL_NOT_ALLOWED: {
    statusCode: 400,
    when: "A URL points at a private, loopback or link-local address that is not on the allow-list.",
  },
  STORAGE_INTEGRATION_REQUIRED: {
    statusCode: 400,
    when: "A bucket URL, of the input or of a transcript, or a `writeDestination` was given without `storageIntegrationId`.",
  },
  STORAGE_INTEGRATION_UNKNOWN: {
    statusCode: 404,
    when: "The account has no storage integration of that id.",
  },
  STORAGE_BUCKET_MISMATCH: {
    statusCode: 400,
    when: "The bucket of `url`, `transcriptUrl` or `writeDestination` is not the storage integration's.",
  },
  WRITE_DESTINATION_INVALID: {
    statusCode: 400,
    when: "`writeDestination` is not a bucket URL, the input is not one, or two outputs would have the same object name.",
  },
  ASSET_UNKNOWN: { statusCode: 404, when: "`assetId` or `transcriptAssetId` names no asset of the account." },
  MEDIA_UNREADABLE: { statusCode: 400, when: "The asset is not audio or video that can be read." },
  MEDIA_NO_AUDIO: { statusCode: 400, when: "The asset has no sound." },
  MEDIA_TOO_LONG: { statusCode: 400, when: "The asset is longer than a target's model takes." },
  MEDIA_TOO_LARGE: {
    statusCode: 400,
    when: "The asset, decoded, is larger than the server takes.",
  },
  WORDS_INVALID: {
    statusCode: 400,
    when: "Edited words overlap, are not in order or lie outside the recording, or a stretch is no stretch of it.",
  },
  UPLOAD_FILE_MISSING: { statusCode: 400, when: "An upload has no file part named `file`." },
  UPLOAD_FILE_EXTRA: { statusCode: 400, when: "An upload has more than one file part." },
  UPLOAD_EMPTY: { statusCode: 400, when: "The uploaded file has no bytes." },
  UPLOAD_FORMAT_UNSUPPORTED: {
    statusCode: 400,
    when: "Neither the uploaded file's name nor its type or content is of an accepted format.",
  },
  UPLOAD_BROKEN: { statusCode: 400, when: "The upload ended before it was whole; nothing was kept." },
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
    when: "Nobody is signed in at the dashboard: the session has expired or was revoked. Sign in again.",
  },
  SIGN_IN_FAILED: { statusCode: 401, when: "Email address or password is wrong." },
  CREDITS_INSUFFICIENT: {
    statusCode: 402,
    when: "The Task's estimate, or what is to be taken back, is above the credits left.",
  },
  MODEL_NOT_GRANTED: {
    statusCode: 403,
    when: "The model, or the variant, is not open to the account: its `access` is `requestAccess`.",
  },
  CLIENT_SUSPENDED: { statusCode: 403, when: "The account is suspended." },
  ADMIN_REQUIRED: { statusCode: 403, when: "The route is for keys of the role `admin`." },
  PERSON_REQUIRED: {
    statusCode: 403,
    when: "The route is for people who are signed in, and some of them for keys of the role `admin`.",
  },
  OWNER_REQUIRED: { statusCode: 403, when: "This is for the owners of the account." },
  PASSWORD_WRONG: { statusCode: 403, when: "`currentPassword` is missing or wrong." },
  SIGN_IN_LINK_INVALID: {
    statusCode: 403,
    when: "A one-time sign-in link was used before, has expired or is unknown; `npm run sign-in` prints another.",
  },
  INVITATION_INVALID: {
    statusCode: 403,
    when: "An invitation was accepted or withdrawn, has expired or is unknown, or is for another email address.",
  },
  LINK_INVALID: { statusCode: 403, when: "A download link was changed or has expired." },
  NOT_FOUND: { statusCode: 404, when: "No such route, or no such resource in the account." },
  WORDS_UNKNOWN: {
    statusCode: 404,
    when: "The target has no words: it is not a text, not completed, or what it wrote is no longer kept.",
  },
  SHARE_UNKNOWN: { statusCode: 404, when: "The share link is unknown, revoked or expired." },
  METHOD_NOT_ALLOWED: {
    statusCode: 405,
    when: "The route exists, but not for that method; `Allow` lists those it has.",
  },
  REQUEST_TIMEOUT: { statusCode: 408, when: "The request took too long to arrive." },
  SELF_LOCKOUT: {
    statusCode: 409,
    when: "An administrator would suspend its own account or revoke the key in use.",
  },
  EMAIL_TAKEN: { statusCode: 409, when: "Another person has that email address." },
  LAST_OWNER: { statusCode: 409, when: "The account's last owner would be removed or become a member." },
  IDEMPOTENCY_CONFLICT: {
    statusCode: 409,
    when: "The `Idempotency-Key` was used within the last 24 hours with another body.",
  },
  MODEL_NOT_INSTALLED: {
    statusCode: 409,
    when: "An administrator would grant a model that has no network in this installation.",
  },
  STORAGE_INTEGRATION_IN_USE: { statusCode: 409, when: "An unfinished Task uses the storage integration." },
  WORDS_CHANGED: {
    statusCode: 409,
    when: "The words were edited since the revision that an edit is based on.",
  },
  SHARES_TOO_MANY: { statusCode: 409, when: "The Task has as many share links as it may." },
  WEBHOOK_DISABLED: {
    statusCode: 409,
    when: "The account's webhook URL is disabled or removed; `POST /webhooks` sets it again.",
  },
  TASK_CANCELLED: {
    statusCode: 409,
    when: "The Task of a `/v1` or `/asr` request was cancelled or deleted by another request.",
  },
  BODY_TOO_LARGE: { statusCode: 413, when: "A JSON body is over 1 MiB, or 8 MiB for edited words." },
  UPLOAD_TOO_LARGE: { statusCode: 413, when: "The uploaded file is over the limit." },
  STORAGE_QUOTA_EXCEEDED: {
    statusCode: 413,
    when: "The account's assets, outputs and work in progress leave no room for it in its storage quota.",
  },
  CONTENT_TYPE_UNSUPPORTED: {
    statusCode: 415,
    when: "The body's content type is not the one the route takes.",
  },
  RANGE_INVALID: { statusCode: 416, when: "A `Range` header lies outside the file." },
  RATE_LIMITED: {
    statusCode: 429,
    when: "The key, or the address of requests without a valid one, made more requests a second than it may; `Retry-After` says when to go on.",
  },
  SIGN_IN_THROTTLED: {
    statusCode: 429,
    when: "Too many failed attempts at a password from that address, or for that account; `Retry-After` says when to go on.",
  },
  TASKS_WAITING_TOO_MANY: {
    statusCode: 429,
    when: "The account has as many Tasks waiting as it may; `Retry-After` says when to try again.",
  },
  REALIGNMENTS_TOO_MANY: {
    statusCode: 429,
    when: "The account has as many stretches waiting to be aligned as it may; `Retry-After` says when to try again.",
  },
  STREAMS_TOO_MANY: {
    statusCode: 429,
    when: "The account has as many event streams open as it may; close some, or fetch the Task instead.",
  },
  HEADERS_TOO_LARGE: { statusCode: 431, when: "The request's headers are over 16 KiB." },
  INTERNAL: { statusCode: 500, when: "Something failed on our side; the log has the `requestId`." },
  STORAGE_FULL: { statusCode: 503, when: "The server's disk is full; nothing of the request was kept." },
  NOT_SET_UP: {
    statusCode: 503,
    when: "The installation lacks credentials or a certificate authority that only its operator can add; the log says which.",
  },
  OVERLOADED: {
    statusCode: 503,
    when: "More comes at once than the service can do; nothing of the request was done. `Retry-After` says when to try again.",
  },
  QUEUE_SLOW: {
    statusCode: 503,
    when: "The Task of a `/v1` or `/asr` request did not start in time and was cancelled; `Retry-After` says when to try again.",
  },
  UNAVAILABLE: {
    statusCode: 503,
    when: "The service, or the database it stands on, can't be reached, is starting or shutting down; `Retry-After` says when to try again.",
  },
  WAIT_TOO_LONG: {
    statusCode: 504,
    when: "The Task of a `/v1` or `/asr` request was not finished in time and was cancelled; `POST /tasks` takes long recordings.",
  },
} as const satisfies Record<string, { statusCode: number; when: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

export const apiErrorDetail = z.object({ path: z.string(), message: z.string() });
export type ApiErrorDetail = z.infer<typeof apiErrorDetail>;

export const apiErrorBody = z
  .object({
    statusCode: z.int(),
    error: z.string().meta({ description: "The status in words" }),
    code: z.enum(Object.keys(API_ERRORS) as [ApiErrorCode, ...ApiErrorCode[]]),
    message: z.string().meta({ description: "A sentence a person can act on" }),
    details: z.array(apiErrorDetail).meta({ description: "The fields at fault; empty where it is none" }),
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
