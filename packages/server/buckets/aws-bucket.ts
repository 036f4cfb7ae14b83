import type { AuthConfigOf } from "@stemwright/contract";
import type { Bucket } from "../domain/storage/bucket.ts";
import { makeRoleCredentials } from "./role-credentials.ts";
import { openS3Bucket, type S3Credentials } from "./s3-bucket.ts";

/** Sessions last an hour. A read or write may take a while, so it starts with at least fifteen minutes left. */
const MAX_WORK_AGE_SECONDS = 45 * 60;
/** A link expires with the session that signed it, so a nearly new one is used. */
const MAX_LINK_AGE_SECONDS = 5 * 60;

export type AwsAccess = {
  ownCredentials?: S3Credentials | undefined;
  stsEndpoint?: string | undefined;
  /** S3's endpoint, for tests; AWS's own by default, whatever endpoint our own store has. */
  s3Endpoint?: string | undefined;
};

const toS3Endpoint = (region: string) =>
  `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

/** A customer's bucket at AWS, accessed through a role in the customer's account. */
export function openAwsBucket(
  bucket: string,
  config: AuthConfigOf<"aws"> & { externalId: string },
  access: AwsAccess,
): Bucket {
  const { roleArn, externalId, region } = config;
  const { ownCredentials, stsEndpoint, s3Endpoint } = access;
  const getCredentials = makeRoleCredentials({ roleArn, externalId, region, stsEndpoint, ownCredentials });
  return openS3Bucket({
    bucket,
    region,
    endpoint: s3Endpoint ?? toS3Endpoint(region),
    forcePathStyle: s3Endpoint !== undefined,
    // An expiry in the past keeps the client from caching a session; this code decides how old one may be.
    credentials: async () => ({ ...(await getCredentials(MAX_WORK_AGE_SECONDS)), expiration: new Date(0) }),
    linkCredentials: () => getCredentials(MAX_LINK_AGE_SECONDS),
  });
}
