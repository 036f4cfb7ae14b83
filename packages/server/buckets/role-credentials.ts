import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { BucketError } from "../domain/storage/bucket.ts";
import type { S3Credentials } from "./s3-bucket.ts";

/** The maximum session length if our own identity is a role, too. */
const SESSION_SECONDS = 3600;
const SESSION_NAME = "stemwright";
/** Errors about our own identity; a role that does not trust us answers AccessDenied. */
const OWN_KEY_FAULTS = [
  ...["InvalidClientTokenId", "InvalidAccessKeyId", "UnrecognizedClientException", "IncompleteSignature"],
  ...["SignatureDoesNotMatch", "ExpiredToken", "ExpiredTokenException", "RequestExpired"],
];

/**
 * Short-lived credentials of a customer's role, obtained with our own identity and this integration's external id. Cached until they are too old for the
 * purpose.
 */
export function makeRoleCredentials(options: {
  roleArn: string;
  externalId: string;
  region: string;
  stsEndpoint?: string | undefined;
  ownCredentials?: S3Credentials | undefined;
}): (maxAgeSeconds: number) => Promise<S3Credentials> {
  const { roleArn, externalId, region, stsEndpoint, ownCredentials } = options;
  const client = new STSClient({
    region,
    ...(stsEndpoint === undefined ? {} : { endpoint: stsEndpoint }),
    ...(ownCredentials === undefined ? {} : { credentials: ownCredentials }),
  });
  let session: { madeAtMs: number; credentials: Promise<S3Credentials> } | undefined;

  const assumeRole = async (): Promise<S3Credentials> => {
    const command = new AssumeRoleCommand({
      RoleArn: roleArn,
      ExternalId: externalId,
      RoleSessionName: SESSION_NAME,
      DurationSeconds: SESSION_SECONDS,
    });
    const { Credentials } = await client.send(command).catch((error: Error) => {
      if (!OWN_KEY_FAULTS.includes(error.name)) throw error;
      const message = `this installation's own AWS credentials were refused (${error.name}); the operator has to renew them`;
      throw new BucketError("not-set-up", message, { cause: error });
    });
    const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken)
      throw new BucketError("access-denied", "The role was assumed, but no credentials were given");
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  };

  return async (maxAgeSeconds) => {
    if (!session || Date.now() - session.madeAtMs > maxAgeSeconds * 1000) {
      const made = { madeAtMs: Date.now(), credentials: assumeRole() };
      session = made;
      made.credentials.catch(() => {
        if (session === made) session = undefined;
      });
    }
    return await session.credentials;
  };
}
