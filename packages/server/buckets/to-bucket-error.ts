import type { Readable } from "node:stream";
import { BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { ADDRESS_REFUSED, HOST_NOT_PUBLIC } from "../net/address-guard.ts";
import { findCertificateFault } from "../net/certificate-fault.ts";
import { isTransientFailure, isTransientStatus } from "../net/transient.ts";

/** The error fields of the storage services' clients. */
type ServiceError = Error & {
  $metadata?: { httpStatusCode?: number };
  statusCode?: number;
  code?: string | number;
  details?: { errorCode?: string };
};

const KIND_OF_STATUS: Record<number, BucketErrorKind> = {
  401: "access-denied",
  403: "access-denied",
  404: "not-found",
};
const KIND_OF_REFUSAL: Record<string | number, BucketErrorKind> = {
  [ADDRESS_REFUSED]: "access-denied",
  [HOST_NOT_PUBLIC]: "failed",
};
const DENIED_NAMES = ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"];
/** Integrations always pass credentials to the client library, so if it found none, the installation's own are missing. */
const MISSING_CREDENTIALS = "CredentialsProviderError";
const MAX_MESSAGE_CHARACTERS = 500;

/** Connection errors come wrapped, and the guard's refusal may be inside. */
function findRefusal(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (KIND_OF_REFUSAL[(error as ServiceError).code ?? ""]) return error;
  if (error instanceof AggregateError) return error.errors.map(findRefusal).find(Boolean);
  return findRefusal(error.cause);
}

/** Errors that only the operator can fix. */
function findOperatorFault(error: ServiceError): string | undefined {
  if (error.name === MISSING_CREDENTIALS)
    return "this installation has no AWS credentials; the operator sets AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or gives the machine a role";
  return findCertificateFault(error);
}

function getStatus({ $metadata, statusCode, code }: ServiceError): number | undefined {
  return $metadata?.httpStatusCode ?? statusCode ?? (typeof code === "number" ? code : undefined);
}

/** The service's own message, on one line and truncated. */
function getMessage(error: ServiceError): string {
  const name = error.details?.errorCode ?? (error.name === "Error" ? undefined : error.name);
  const reason = error.message || (typeof error.code === "string" ? error.code : "no reason given");
  const text = (name && !reason.includes(name) ? `${name}: ${reason}` : reason).replace(/\s+/g, " ").trim();
  return text.slice(0, MAX_MESSAGE_CHARACTERS);
}

/** Maps a client library's error to our kinds. */
export function toBucketError(error: unknown): BucketError {
  if (error instanceof BucketError) return error;
  const refusal = findRefusal(error);
  const refusalKind = KIND_OF_REFUSAL[refusal?.code ?? ""];
  if (refusal && refusalKind)
    return new BucketError(refusalKind, refusal.message, {
      cause: error,
      isTransient: isTransientFailure(refusal),
    });
  if (!(error instanceof Error)) return new BucketError("failed", String(error), { cause: error });
  const service = error as ServiceError;
  const fault = findOperatorFault(service);
  if (fault !== undefined) return new BucketError("not-set-up", fault, { cause: error });
  const status = getStatus(service) ?? 0;
  const kind = DENIED_NAMES.includes(service.name) ? "access-denied" : (KIND_OF_STATUS[status] ?? "failed");
  const isTransient = kind === "failed" && (isTransientStatus(status) || isTransientFailure(error));
  return new BucketError(kind, getMessage(service), { cause: error, isTransient });
}

/** The store does not know a multipart upload: it was completed, aborted, or removed by a lifecycle rule. */
export const isUnknownMultipart = (error: unknown) =>
  error instanceof BucketError && (error.cause as Error | undefined)?.name === "NoSuchUpload";

/** Runs one call of a storage service; whatever it throws becomes a BucketError. */
export async function asBucketCall<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toBucketError(error);
  }
}

/** The same for a call about an object that may not exist. */
export async function findByBucketCall<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await asBucketCall(call);
  } catch (error) {
    if (error instanceof BucketError && error.kind === "not-found") return undefined;
    throw error;
  }
}

/**
 * The cause of a failed write: the caller's signal, the content's own failure (such as a size limit), or the storage. If the storage fails, the content is
 * aborted too; that is a consequence, not the cause.
 */
export function toWriteError(error: unknown, content: Readable, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const { errored } = content;
  return errored && errored.name !== "AbortError" ? errored : toBucketError(error);
}
